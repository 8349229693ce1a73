import { ObjectStorageModule } from '#adapters/object-storage.module.js';
import { decode } from '#domain/stored-events.js';
import { environments, parseStreamName, streamName, type Environment } from '#domain/streams.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { ObjectStorage } from '#storage/object-storage.js';
import { ChoiceField, IdField, TextField } from '#validation/fields.js';
import { defineCall } from '#operator-calls/call.js';
import { printLine } from '#operator-calls/output.js';
import { CallRefused } from '#operator-calls/call-refused.js';

const name = 'objects accept-loss';

class LostObject {
  @IdField({ description: 'The picture: its `asset_id`.', required: true })
  asset: string;

  @ChoiceField({ description: 'Data environment.', values: environments, required: true })
  env: Environment;

  @TextField({ description: 'Why it is gone, for the record.', min: 1, max: 200, required: true })
  reason: string;
}

const assetStream = ({ env, asset }: Pick<LostObject, 'env' | 'asset'>) => streamName(env, 'asset', asset);

/**
 * The record of this action, like that of every action, is its effect: who accepted the loss, when, and why.
 */
export const acceptLoss = defineCall({
  name,
  route: 'POST /objects/:asset/accept-loss',
  may: ['support'],
  summary: 'Write down that a picture is gone for good, so that `objects audit` holds without it',
  input: LostObject,
  features: [ObjectStorageModule],
  async run(operator, input) {
    const slice = await operator.store.readStream(assetStream(input), { from: 0n, limit: 1 });
    const [recorded] = slice.kind === 'found' ? slice.events : [];
    const stored = recorded && decode(recorded);
    if (stored?.type !== 'AssetStored')
      throw new CallRefused(`there is no picture ${input.asset} in ${input.env}`, 'RESOURCE_NOT_FOUND');
    const { storageKey, credentials } = stored.data;
    const beside = credentials?.kept?.storageKey;
    const keys = beside === undefined ? [storageKey] : [storageKey, beside];
    const areThere = await Promise.all(keys.map((key) => operator.get(ObjectStorage).has(key)));
    if (areThere.every(Boolean))
      throw new CallRefused(
        `${storageKey} is in the storage: nothing is lost. An altered picture cannot be accepted`,
      );
    return { asset_id: input.asset, storage_key: storageKey };
  },
  print: ({ storage_key: key }) =>
    printLine(`The loss of ${key} is written down: "atelier objects audit" lists it as accepted.`),
});

export interface AcceptedLoss {
  readonly by: string;
  readonly reason: string;
  readonly at: string;
}

/** The losses that operators have accepted, as read from the log. */
export class AcceptedLosses {
  /** By the stream of the asset. */
  readonly byStream = new Map<string, AcceptedLoss>();
  /** Losses whose action has begun and has not ended, by the stream of the action. */
  private readonly asked = new Map<string, { readonly asset: string; readonly loss: AcceptedLoss }>();

  see(recorded: RecordedEvent): void {
    const { stream, type } = recorded;
    if (parseStreamName(stream)?.category !== 'action') return;
    if (type === 'ActionEnded' && !this.asked.has(stream)) return;
    const event = decode(recorded);
    if (event.type === 'ActionRequested' && event.data.action === name) {
      const { by, at } = event.data;
      // The call above wrote it, and its input was checked.
      const input = event.data.input as unknown as LostObject;
      this.asked.set(stream, { asset: assetStream(input), loss: { by, reason: input.reason, at } });
    } else if (event.type === 'ActionEnded') {
      const { asset, loss } = this.asked.get(stream)!;
      if (event.data.outcome === 'done') this.byStream.set(asset, loss);
      this.asked.delete(stream);
    }
  }
}
