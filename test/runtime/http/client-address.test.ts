/** The address of a client: of the connection, or as trusted proxies report it. */
import { describe, expect, test } from 'vitest';
import { addressOf, TrustedProxies, trustProxies } from '../../../runtime/http/client-address.js';
import { readSettings } from '../../../runtime/server/settings.js';

function addressFrom(peer: string | undefined, forwarded?: string): string | null {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return addressOf({ socket: { remoteAddress: peer }, headers } as unknown as Parameters<
    typeof addressOf
  >[0]);
}

function trust(...proxies: readonly string[]): string[] {
  const warnings: string[] = [];
  const trusted = new TrustedProxies();
  for (const proxy of proxies) expect(trusted.add(proxy), proxy).toBeUndefined();
  trustProxies(trusted, { warn: (_: object, message: string) => warnings.push(message) } as never);
  return warnings;
}

describe('without trusted proxies', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['2001:DB8::0:1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::1', '::1'],
    [undefined, null],
  ])('%s is %s', (peer, address) => {
    trust();
    expect(addressFrom(peer)).toBe(address);
  });

  test('the header is ignored, and that is logged once', () => {
    const warnings = trust();
    expect(addressFrom('192.0.2.1', '203.0.113.9')).toBe('192.0.2.1');
    expect(addressFrom('192.0.2.2', '203.0.113.9')).toBe('192.0.2.2');
    expect(warnings).toEqual([expect.stringContaining('TRUSTED_PROXIES')]);
  });
});

test.each<[what: string, peer: string, forwarded: string, address: string]>([
  ['one proxy', '10.0.0.7', '203.0.113.9', '203.0.113.9'],
  ['a forged beginning', '10.0.0.7', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
  ['a forged trusted address', '10.0.0.7', '10.0.0.8, 203.0.113.9', '203.0.113.9'],
  ['two proxies', '10.0.0.7', '203.0.113.9, 10.0.0.8', '203.0.113.9'],
  ['only proxies: the first', '10.0.0.7', '10.0.0.9, 10.0.0.8', '10.0.0.9'],
  ['a proxy that is not trusted', '192.0.2.1', '203.0.113.9', '192.0.2.1'],
  ['an IPv4 peer written as IPv6', '::ffff:10.0.0.7', '203.0.113.9', '203.0.113.9'],
  ['a client written as IPv6', '10.0.0.7', '::ffff:203.0.113.9', '203.0.113.9'],
  ['an IPv6 client', 'fd00::7', '2001:DB8:0::9', '2001:db8::9'],
  ['an IPv6 network', 'fd00::7', '2001:db8::9, fd00::8', '2001:db8::9'],
  ['a port', '10.0.0.7', '203.0.113.9:4711', '203.0.113.9'],
  ['an IPv6 client with a port', '10.0.0.7', '[2001:db8::9]:4711', '2001:db8::9'],
  ['no spaces', '10.0.0.7', '203.0.113.9,10.0.0.8', '203.0.113.9'],
  ['an unreadable end', '10.0.0.7', '203.0.113.9, unknown', '10.0.0.7'],
  ['an unreadable part before a proxy', '10.0.0.7', 'unknown, 10.0.0.8', '10.0.0.7'],
  ['an unreadable part of no interest', '10.0.0.7', 'unknown, 203.0.113.9', '203.0.113.9'],
  ['an empty header', '10.0.0.7', '', '10.0.0.7'],
  ['an empty part', '10.0.0.7', ', 10.0.0.8', '10.0.0.7'],
  ['an address with leading zeros', '10.0.0.7', '010.0.0.1', '10.0.0.7'],
  ['a host name', '10.0.0.7', 'constructor', '10.0.0.7'],
])('%s', (_, peer, forwarded, address) => {
  trust('10.0.0.0/8', 'fd00::/8');
  expect(addressFrom(peer, forwarded)).toBe(address);
});

test('a network of IPv4 addresses in the notation of IPv6 is one of IPv4', () => {
  trust('::ffff:10.0.0.0/104');
  expect(addressFrom('10.9.9.9', '203.0.113.9')).toBe('203.0.113.9');
  expect(addressFrom('11.9.9.9', '203.0.113.9')).toBe('11.9.9.9');
});

test('32 proxies are read, so that a trusted client cannot send a list that takes long', () => {
  trust('10.0.0.0/8');
  expect(addressFrom('10.0.0.7', `203.0.113.9${',10.0.0.8'.repeat(31)}`)).toBe('203.0.113.9');
  expect(addressFrom('10.0.0.7', `203.0.113.9${',10.0.0.8'.repeat(32)}`)).toBe('10.0.0.8');
});

test.each(['10.0.0.0/8, fd00::/8 192.0.2.1', ''])('TRUSTED_PROXIES=%s is valid', (written) => {
  expect(() => readSettings({ variables: { TRUSTED_PROXIES: written } })).not.toThrow();
});

test.each([
  ['proxy.example', '"proxy.example" is not an address or network'],
  ['10.0.0.0/33', '"10.0.0.0/33" is not a network: the number of bits is wrong'],
  ['10.0.0.0/8/8', '"10.0.0.0/8/8" is not an address or network'],
  ['10.0.0.0/', '"10.0.0.0/" is not an address or network'],
  ['::ffff:10.0.0.0/8', 'is not a network: the number of bits is wrong'],
  ['*', '"*" is not an address or network'],
  ['0.0.0.0/0', 'is a network of all addresses, so every client could send any address'],
  ['::/0', 'is a network of all addresses'],
])('TRUSTED_PROXIES=%s stops the start', (written, problem) => {
  expect(() => readSettings({ variables: { TRUSTED_PROXIES: `127.0.0.1, ${written}` } })).toThrow(problem);
});
