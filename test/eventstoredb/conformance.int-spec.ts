import { describeEventStore } from '../event-store/event-store.conformance.js';
import { startEventStoreDbHarness } from './eventstoredb-harness.js';

describeEventStore('EventStoreDB', startEventStoreDbHarness);
