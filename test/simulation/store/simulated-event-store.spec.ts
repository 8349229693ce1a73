import { describeEventStore } from '../../event-store/event-store.conformance.js';
import { startSimulatedHarness } from './simulated-harness.js';

describeEventStore('The simulated store', () => Promise.resolve(startSimulatedHarness()));
