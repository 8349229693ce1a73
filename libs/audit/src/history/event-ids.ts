import type { Findings } from '../findings.js';
import { hashKey } from '../memory/hash.js';
import { KeyIndex } from '../memory/key-index.js';

interface Place {
  readonly stream: string;
  readonly revision: number;
}

/**
 * Ids of events by their hash. Two ids that share one are only suspected: the events with these ids are read once more,
 * and only the same id twice is wrong.
 */
export class EventIds {
  private readonly index = new KeyIndex();
  /** By hash; the places are known once the history was read again. */
  readonly suspects = new Set<string>();
  private readonly places = new Map<string, Place[]>();

  constructor(private readonly findings: Findings) {}

  see(id: string): void {
    this.findings.checked('event-ids');
    const before = this.index.size;
    if (this.index.add(hashKey(id)) < before) this.suspects.add(id);
  }

  seeAgain(id: string, place: Place): void {
    if (!this.suspects.has(id)) return;
    const places = this.places.get(id) ?? [];
    places.push(place);
    this.places.set(id, places);
  }

  /** After the second reading. */
  report(): void {
    for (const [id, [first, ...others]] of this.places) {
      for (const { stream, revision } of others) {
        const message = `event id ${id} was used before, in ${first!.stream} at revision ${first!.revision}`;
        const expected = 'an id of its own';
        this.findings.wrong({ check: 'event-ids', message, stream, revision, expected, found: id });
      }
    }
  }
}
