import { textOf } from '../shared/ui.js';

/** In a dialog, for a request that must be done once, however often it is sent. */
export function OnceField() {
  return <input type="hidden" name="key" defaultValue={crypto.randomUUID()} />;
}

export const keyOf = (form: FormData) => ({ 'Idempotency-Key': textOf(form, 'key') ?? crypto.randomUUID() });
