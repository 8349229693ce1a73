import { startPostgresHarness } from '../../../../test/support/postgres-event-store-harness.js';
import { describeEventStore } from '../../../../test/event-store/event-store.conformance.js';

describeEventStore('PostgreSQL', startPostgresHarness);
