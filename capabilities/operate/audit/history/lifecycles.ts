import type { AuditedEvent } from '../audited-event.js';
import type { AuditFindings } from '../findings.js';

interface Lifecycle {
  readonly began: string;
  revoked: boolean;
  successor: string | undefined;
}

/**
 * Simple life cycles: keys, presets and products begin with the event that makes them. A key is rotated once, and
 * revoked for good. An external reference is given to one product. An asset is stored once. Its entry of the
 * catalogue is retired once, and the asset is erased once.
 */
export class Lifecycles {
  private readonly things = new Map<string, Lifecycle>();

  constructor(private readonly findings: AuditFindings) {}

  apply(event: AuditedEvent): void {
    switch (event.type) {
      case 'AssetStored':
        this.findings.checked('lifecycles');
        if (event.revision > 0) this.wrong(event, 'an asset never changes', 'revision 0', event.revision);
        return;
      case 'CatalogEntryRetired':
        this.findings.checked('lifecycles');
        if (event.revision !== 1) this.wrong(event, 'an entry is retired once', 'revision 1', event.revision);
        return;
      case 'PictureErased':
        return this.erase(event);
      case 'ExternalRefAssigned':
        return this.begin(event, event.data.productId, undefined, false);
      case 'ApiKeyIssued':
        return this.begin(event, event.data.environment, event.environment, false);
      case 'ProductRegistered':
        return this.begin(event, '', undefined, true);
      case 'PresetPublished':
        return this.begin(event, event.data.kind, undefined, true);
      case 'ApiKeyRetired':
        return this.retire(this.known(event), event, event.data.successorKeyId);
      case 'ApiKeyRevoked':
        return this.revoke(this.known(event), event);
      case 'ProductRevised':
      case 'ProductArchived':
      case 'ProductErased':
      case 'PresetRetired':
        this.known(event);
        return;
      default:
        return;
    }
  }

  /** Nothing follows it, and only the storing and the retirement come before. */
  private erase(event: AuditedEvent): void {
    this.findings.checked('lifecycles');
    const isRight = event.revision === 1 || event.revision === 2;
    if (!isRight) this.wrong(event, 'an asset is erased once', 'revision 1 or 2', event.revision);
  }

  /** `kind` never changes; `required` is its expected value. */
  private begin(event: AuditedEvent, kind: string, required: string | undefined, again: boolean): void {
    this.findings.checked('lifecycles');
    const thing = this.things.get(event.stream);
    if (thing && !again) this.wrong(event, `${event.type} comes once`, 'revision 0', event.revision);
    const expected = required ?? thing?.began ?? kind;
    if (kind !== expected) this.wrong(event, `${event.type} of another kind`, expected, kind);
    if (!thing) this.things.set(event.stream, { began: expected, revoked: false, successor: undefined });
  }

  private known(event: AuditedEvent): Lifecycle | undefined {
    this.findings.checked('lifecycles');
    const thing = this.things.get(event.stream);
    if (!thing)
      this.wrong(event, `${event.type} of something that never began`, 'its beginning before', 'nothing');
    return thing;
  }

  private retire(key: Lifecycle | undefined, event: AuditedEvent, successor: string): void {
    if (!key) return;
    if (key.revoked)
      this.wrong(event, 'a revoked key is retired', 'no event after ApiKeyRevoked', event.type);
    else if (key.successor) this.wrong(event, 'a key is rotated once', key.successor, successor);
    key.successor = successor;
  }

  private revoke(key: Lifecycle | undefined, event: AuditedEvent): void {
    if (!key) return;
    if (key.revoked) this.wrong(event, 'a key is revoked once', 'no event after ApiKeyRevoked', event.type);
    key.revoked = true;
  }

  private wrong(event: AuditedEvent, message: string, expected: unknown, found: unknown): void {
    this.findings.wrongAt(event, 'lifecycles', message, expected, found);
  }
}
