import { EventStoreError } from '../event-store.js';

/** The copy cannot be made as things are. Going on by force would damage a history, so it ends here. */
export class CopyRefused extends EventStoreError {
  override readonly name = 'CopyRefused';
}
