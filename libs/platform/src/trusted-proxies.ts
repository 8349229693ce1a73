import { isIP } from 'node:net';

/** Networks that have a name: this machine, and the private ones of IPv4 and IPv6. */
const named = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** Whose `X-Forwarded-For` is believed: names, addresses and networks with commas between, or what is wrong with it. */
export function parseTrustedProxies(text: string): string[] | string {
  const proxies = text.split(',').map((each) => each.trim());
  const wrong = proxies.find((each) => !named.has(each) && !isNetwork(each));
  if (wrong === undefined) return proxies;
  return `must be addresses, networks such as 10.0.0.0/8, loopback, linklocal or uniquelocal, with commas; not "${wrong}"`;
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
