import { describe, expect, it } from 'vitest';
import { ForbiddenAddress, isPublicAddress, resolvePublic } from './public-address.js';

const forbidden = [
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '127.0.0.1',
  '127.8.8.8',
  '169.254.169.254',
  '0.0.0.0',
  '100.64.0.1',
  '100.127.255.255',
  '224.0.0.1',
  '255.255.255.255',
  '240.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '::1',
  '::',
  'fe80::1',
  'fc00::1',
  'fd12:3456::1',
  'ff02::1',
  '2001:db8::1',
  '::ffff:10.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '::127.0.0.1',
  // IPv4 in each form of IPv6 that contains it, as a URL writes it.
  '::7f00:1',
  '::a9fe:a9fe',
  '::808:808',
  '::ffff:a9fe:a9fe',
  '::ffff:0:a9fe:a9fe',
  '::ffff:0:7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::a9fe:a9fe',
  '2002:a9fe:a9fe::1',
  '2001:0:a9fe:a9fe::1',
  '2001::1',
  'fec0::1',
  '100::1',
  '4000::1',
  '5f00::1',
  '1::1',
  '0:0:0:1::7f00:1',
];

describe('an address', () => {
  it.each(forbidden)('%s is not one of the internet', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['93.184.216.34', '8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8'])('%s is', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it('may be called where its network is allowed, and its neighbours may not', () => {
    const allowed = ['127.0.0.1/32', 'fd12::/16'];
    expect(isPublicAddress('127.0.0.1', allowed)).toBe(true);
    expect(isPublicAddress('::ffff:127.0.0.1', allowed)).toBe(true);
    expect(isPublicAddress('127.0.0.2', allowed)).toBe(false);
    expect(isPublicAddress('fd12::7', allowed)).toBe(true);
    expect(isPublicAddress('fd13::7', allowed)).toBe(false);
  });
});

describe('the look-up of a host', () => {
  it('asks for a name once, and takes an address as it is', async () => {
    let asked = 0;
    const resolve = async () => (asked++, ['93.184.216.34']);
    expect(await resolvePublic('shop.example', [], resolve)).toEqual({ address: '93.184.216.34', family: 4 });
    expect(asked).toBe(1);
    expect(await resolvePublic('[2606:4700::1111]', [], resolve)).toEqual({
      address: '2606:4700::1111',
      family: 6,
    });
    expect(asked).toBe(1);
  });

  it('refuses a name of which any address is forbidden', async () => {
    for (const addresses of [['127.0.0.1'], ['93.184.216.34', '10.0.0.1'], ['::ffff:192.168.0.1']])
      await expect(resolvePublic('shop.example', [], async () => addresses)).rejects.toThrow(
        ForbiddenAddress,
      );
    await expect(resolvePublic('[::1]', [])).rejects.toThrow(ForbiddenAddress);
  });
});
