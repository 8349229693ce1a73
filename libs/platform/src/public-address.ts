import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The address is in a network that is called only if the operator has allowed it. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
}

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** The addresses that a name has now. @throws an Error when there are none */
export type ResolveName = (name: string) => Promise<readonly string[]>;

/** How long a name server may take for an answer, and how many tries it gets. */
const patience = { timeout: 2_000, tries: 2 };

/**
 * Queries name servers directly, because the system's look-up would hold one of the few threads that make
 * pictures.
 */
export const resolveByDns: ResolveName = async (name) => {
  const resolver = new Resolver(patience);
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  if (addresses.length === 0) throw new Error(`the name ${name} has no address`);
  return addresses;
};

/**
 * Whether an address is public. Private, loopback, link-local, shared (CGNAT), multicast and reserved addresses
 * are not, nor is IPv4 in a form of IPv6 (mapped, translated, tunnelled).
 * @param allowed networks in CIDR notation that may be called all the same
 */
export function isPublicAddress(address: string, allowed: readonly string[] = []): boolean {
  // IPv4 in IPv6's clothes is judged as what it is.
  const parsed = ipaddr.process(address);
  if (allowed.some((network) => isWithin(parsed, network))) return true;
  // The internet routes no other IPv6 addresses (RFC 4291). The deprecated forms with IPv4 in them, ::a.b.c.d,
  // are outside too.
  if (parsed.kind() === 'ipv6' && !isWithin(parsed, '2000::/3')) return false;
  return parsed.range() === 'unicast';
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, network: string): boolean {
  const [range, bits] = ipaddr.parseCIDR(network);
  return address.kind() === range.kind() && address.match(range, bits);
}

/**
 * The address at which to call a host. It is looked up once, so that the checked address is the one that is
 * called. If any address of a name is forbidden, the name is refused.
 * @param hostname of a URL, IPv6 in brackets
 * @throws ForbiddenAddress; an Error if the name has no address
 */
export async function resolvePublic(
  hostname: string,
  allowed: readonly string[],
  resolve: ResolveName = resolveByDns,
): Promise<ResolvedAddress> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) ? [host] : await resolve(host);
  if (!addresses.every((address) => isPublicAddress(address, allowed)))
    throw new ForbiddenAddress('its address is in a network that this service does not call');
  const [address] = addresses;
  if (address === undefined) throw new Error(`the name ${host} has no address`);
  return { address, family: isIP(address) === 6 ? 6 : 4 };
}

/** Why a host cannot be called, as the second half of a sentence; undefined if it can, as far as is known now. */
export async function complaintAboutHost(
  hostname: string,
  allowed: readonly string[],
  resolve: ResolveName = resolveByDns,
): Promise<string | undefined> {
  try {
    await resolvePublic(hostname, allowed, resolve);
  } catch (error) {
    if (error instanceof ForbiddenAddress)
      return 'must be an address on the internet: private and local networks are not called';
    // A name may become known later. Each call checks the address that the name then has.
  }
  return undefined;
}

/**
 * A look-up for Node's requests that always finds this address, whatever the name leads to by now. Node does not call it
 * for an IP address in the URL itself: {@link resolvePublic} has checked that one unchanged.
 */
export function pinnedTo(found: ResolvedAddress): LookupFunction {
  return (_name, options, tell) =>
    options.all ? tell(null, [found]) : tell(null, found.address, found.family);
}

/** A URL that a caller wants to be called, or what is wrong with it. @param schemes such as `https:` */
export function callableUrl(text: string, schemes: readonly string[]): URL | string {
  const url = URL.parse(text);
  if (!url || !schemes.includes(url.protocol))
    return `must be an ${schemes.map((scheme) => `${scheme}//`).join(' or ')} URL`;
  if (url.username || url.password) return 'must not hold a name and password';
  if (url.hash) return 'must not have a fragment';
  return url;
}
