import { textOf } from '../shared/ui.js';

/** For a dialog's request that must take effect only once, even if it is sent several times. */
export function OnceField() {
  return <input type="hidden" name="key" defaultValue={crypto.randomUUID()} />;
}

export const keyOf = (form: FormData) => ({ 'Idempotency-Key': textOf(form, 'key') ?? crypto.randomUUID() });
