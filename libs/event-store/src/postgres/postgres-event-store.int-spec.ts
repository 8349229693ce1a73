import { startPostgresHarness } from '../../../../test/support/postgres-event-store-harness.js';
import { describeEventStore } from '../conformance/event-store.conformance.js';

describeEventStore('PostgreSQL', startPostgresHarness);
