/** They call on behalf of whoever calls them. */
const goBetweens = new Set(['aggregate', 'batch-grouping', 'remembered']);

/**
 * The file of the application that awaits the call at hand, by its name without folder and ending. A port is called from
 * several places, and a crash at each of them means something else. `unknown` when none of its files is on the stack.
 */
export function callSite(): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 50;
  const { stack = '' } = new Error('where');
  Error.stackTraceLimit = limit;
  for (const line of stack.split('\n')) {
    const file = /\/dist\/(?:libs\/application\/src|apps)\/(?:[^\s:]+\/)?([\w.-]+)\.js:\d+/.exec(line)?.[1];
    if (file !== undefined && !goBetweens.has(file)) return file;
  }
  return 'unknown';
}
