/**
 * The value of each series of a scrape, by `name{label="value",…}` with its labels sorted and without `role`.
 */
export function series(text: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const line of text.split('\n')) {
    const match = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (!match) continue;
    const [, name = '', labels = '', value = ''] = match;
    const kept = [...labels.matchAll(/(\w+)="([^"]*)"/g)]
      .filter(([, label]) => label !== 'role')
      .map(([pair]) => pair);
    found.set(kept.length > 0 ? `${name}{${kept.toSorted().join(',')}}` : name, Number(value));
  }
  return found;
}
