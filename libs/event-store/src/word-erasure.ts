/** How many events of some streams have words that nobody can read any more, and how many have words that stay. */
export interface ErasedWords {
  /** Events whose words are erased, by this call or by an earlier one. */
  readonly erased: number;
  /** Events whose words stay readable because the key of the whole tenant encrypts them. */
  readonly underTenantKey: number;
  /** Events whose words stay readable because they were stored as plain text, without a master key. */
  readonly plain: number;
}

/** Erases the personal words of single streams. The events stay, with ids, times and money. */
export abstract class WordErasure {
  /**
   * Destroys the keys of these streams, so that their words cannot be read again: by this process at once, by others
   * within a minute. Words that are appended later are not erased, so append what ends the stream first. The call may be
   * repeated, also after a crash; it then destroys what is left, and counts all of it.
   * @param streams whole names, such as `live.job-01J…`; one that does not exist counts nothing
   * @throws WordsUnreadable if the key store has lost a key, or a key does not unwrap. Some streams may be erased by
   *   then, and none counts as erased because of that.
   * @throws EventStoreUnavailable if the log or the key store is away
   */
  abstract eraseWords(streams: readonly string[]): Promise<ErasedWords>;

  /**
   * Destroys all keys of a tenant in an environment, so that no word of its events until now can be read again: by this
   * process at once, by others within a minute. May be repeated.
   * @throws EventStoreUnavailable if the key store is away
   */
  abstract eraseTenant(owner: { readonly environment: string; readonly tenant: string }): Promise<void>;
}
