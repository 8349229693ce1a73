import { describeEventStore } from '#event-store/conformance/event-store.conformance.js';
import { startEventStoreDbHarness } from './eventstoredb-harness.js';

describeEventStore('EventStoreDB', startEventStoreDbHarness);
