/** Longer than most renders take, shorter than proxies keep a silent connection open. */
export const longestPreferredWaitS = 60;

/**
 * How long the caller would like to wait for the job's end, by `Prefer: wait=N` (RFC 7240), in whole seconds from 1 to
 * {@link longestPreferredWaitS}; undefined when it does not say. Preferences that are unknown or not well-formed are
 * passed over, as the RFC has it, and of two that are the same the first one counts.
 */
export function preferredWait(header: string | string[] | undefined): number | undefined {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '');
  for (const [, name = '', quoted, token] of text.matchAll(preference)) {
    if (name.toLowerCase() !== 'wait') continue;
    const value = quoted ?? token ?? '';
    const seconds = /^\d{1,9}$/.test(value) ? Number(value) : 0;
    return seconds < 1 ? undefined : Math.min(seconds, longestPreferredWaitS);
  }
  return undefined;
}

/** `name`, `name=token` or `name="text"` with its parameters, up to the next comma. */
const preference =
  /(?:^|,)\s*([\w!#$%&'*+.^`|~-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*)))?(?:\s*;(?:"(?:[^"\\]|\\.)*"|[^",])*)?\s*(?=,|$)/g;
