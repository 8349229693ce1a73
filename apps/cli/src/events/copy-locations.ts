/**
 * Which log a URL leads to, without credentials and options: what may be shown, compared and kept. Two names of one
 * server are two locations.
 */
export function locationOf(url: string): string {
  const [, scheme = '', rest = ''] = /^([a-z0-9+]+):\/\/(.*)$/s.exec(url) ?? [];
  const place = rest.split('?', 1)[0] ?? '';
  const hosts = place.slice(place.lastIndexOf('@') + 1).replace(/\/+$/, '');
  return `${scheme.replace('postgresql', 'postgres')}://${hosts}`;
}
