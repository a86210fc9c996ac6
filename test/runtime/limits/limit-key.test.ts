/** Keys of limits: strings that a collation of MariaDB treats as equal have the same key. */
import { describe, expect, test } from 'vitest';
import { setClientBits } from '../../../runtime/http/client-address.js';
import { ClientNetwork, clientNetwork, folded, keyOf } from '../../../runtime/limits/limit-key.js';
import { sharedMariadb } from '../../helpers/shared-servers.js';

const network = new ClientNetwork('192.0.2.1');

describe('spellings of an address', () => {
  test.each([
    ['Polo@Example.COM'],
    ['  polo@example.com\t'],
    ['pölö@example.com'],
    ['poló@exämple.com'],
    ['ｐｏｌｏ＠ｅｘａｍｐｌｅ．ｃｏｍ'],
    ['𝓹𝓸𝓵𝓸@example.com'],
    ['po\u200Blo@exam\u00ADple.com'],
    ['po\u0001lo@example.com\0'],
    ['po\u0301\u0327lo@example.com'],
    ['połø@example.com'],
    ['POŁØ@example.com'],
    ['p olo@example.com'],
    ['polo@exæmple.com'.replace('æ', 'ａ')],
    ['\uFEFFpolo@example.com\u202E'],
  ])('%j', (spelling) => {
    expect(keyOf([spelling], network)).toBe(keyOf(['polo@example.com'], network));
  });

  test.each([['polo@example.co'], ['polo+1@example.com'], ['polo@example.com.'], ['пolo@example.com']])(
    '%s is another address',
    (spelling) => {
      expect(keyOf([spelling], network)).not.toBe(keyOf(['polo@example.com'], network));
    },
  );

  test.each([
    ['さくら', 'サクラ'],
    ['や', 'ゃ'],
    ['や', 'ﾔ'],
    ['ך', 'כ'],
    ['O’Brien', "o'brien"],
    ['ᾳ', 'αι'],
    ['😀', '😁'],
    ['𠮷', '\uFFFD'],
    ['\uD800', '\uDFFF'],
    ['⅍', 'a/s'],
  ])('%s is %s', (one, other) => {
    expect(keyOf([`x${one}`], network)).toBe(keyOf([`x${other}`], network));
  });

  test.each([
    ['さくら', 'さくろ'],
    ['山', '川'],
    ['a😀', 'a'],
    ['عمر', 'عمرو'],
  ])('%s is not %s', (one, other) => {
    expect(keyOf([one], network)).not.toBe(keyOf([other], network));
  });

  test('ß is ss, Σ is ς, İ is i', () => {
    expect(['straße', 'STRASSE', 'ﬁSH', 'ς', 'İ'].map(folded)).toEqual(
      ['STRASSE', 'straße', 'fish', 'Σ', 'i'].map(folded),
    );
  });
});

test('values of several kinds', () => {
  expect(keyOf([5], network)).toBe(keyOf(['5'], network));
  expect(keyOf([true], network)).toBe(keyOf(['TRUE'], network));
  expect(keyOf(['a', 'b'], network)).not.toBe(keyOf(['a","b'], network));
  expect(keyOf(['a', 'b'], network)).not.toBe(keyOf(['b', 'a'], network));
  expect(keyOf(['__proto__'], network)).not.toBe(keyOf(['constructor'], network));
});

test('null counts as the network of the client, which no string equals', () => {
  expect(keyOf([null], network)).toBe(keyOf([network], network));
  expect(keyOf([null], network)).not.toBe(keyOf(['192.0.2.1'], network));
  expect(keyOf([null], network)).not.toBe(keyOf([null], new ClientNetwork('192.0.2.2')));
  expect(keyOf([''], network)).not.toBe(keyOf([null], network));
});

test.each([[['a']], [{ a: 1 }], ['a'.repeat(1_025)]])('%j is 400', (value) => {
  expect(() => keyOf([value], network)).toThrow(expect.objectContaining({ status: 400 }));
});

test.each([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:3::', '2001:db8:1:2::/64'],
  ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
  ['192.0.2.1', '192.0.2.1'],
  ['64:ff9b::c000:201', '192.0.2.1'],
  ['64:ff9b::201', '0.0.2.1'],
  ['64:ff9b::', '0.0.0.0'],
  ['64:ff9b::1:c000:201', '64:ff9b:0:0::/64'],
  ['64:ff9b:1::c000:201', '64:ff9b:1:0::/64'],
  [null, ''],
])('the network of %s is %s', (address, text) => {
  expect(clientNetwork({ address }).text).toBe(text);
});

test.each([
  [56, '2001:db8:1:ff02::1', '2001:db8:1:ff00::/56'],
  [48, '2001:db8:1:ff02::1', '2001:db8:1:0::/48'],
  [44, '2001:db8:1f:2::1', '2001:db8:10:0::/44'],
  [32, '2001:db8:1:2::1', '2001:db8:0:0::/32'],
  [48, '192.0.2.1', '192.0.2.1'],
  [48, '64:ff9b::c000:201', '192.0.2.1'],
])('with %i bits the network of %s is %s', (bits, address, text) => {
  setClientBits(bits);
  try {
    expect(clientNetwork({ address }).text).toBe(text);
  } finally {
    setClientBits(64);
  }
});

/** Letters, digits and signs of addresses. */
const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
const plain = [
  ...letters,
  ...letters.flatMap((first) => letters.map((second) => first + second)),
  ...'0123456789@.-_+'.split(''),
];

/** All characters up to a code point, except surrogates. */
const charactersTo = (last: number): string[] =>
  Array.from({ length: last }, (_, index) => String.fromCodePoint(index + 1)).filter(
    (character) => !/\p{Cs}/u.test(character),
  );

/** The code point and the key of each character. */
const keysOf = (characters: readonly string[]): string[] =>
  characters.map(
    (character) => `${character.codePointAt(0)?.toString(16) ?? ''} ${folded(`x${character}x`)}`,
  );

/** The lists whose characters have several keys. */
function severalKeys(lists: Iterable<readonly string[]>): string[][] {
  return [...lists]
    .filter((list) => new Set(list.map((character) => folded(`x${character}x`))).size > 1)
    .map(keysOf);
}

test('characters that are equal in the order of Unicode have equal keys', () => {
  const order = new Intl.Collator('und', { sensitivity: 'base' });
  const pairs: (readonly [string, string])[] = [];
  const sorted = charactersTo(0x1ffff).sort((one, other) => order.compare(one, other));
  for (const [index, one] of sorted.entries()) {
    const next = sorted[index + 1];
    if (next !== undefined && order.compare(one, next) === 0) pairs.push([one, next]);
  }
  expect(pairs.length).toBeGreaterThan(5_000);
  expect(severalKeys(pairs)).toEqual([]);
});

/** Collations, each with the last character that is compared. Older ones treat all characters after U+FFFF as equal. */
test.each([
  ['utf8mb4_general_ci', 0xffff],
  ['utf8mb4_unicode_ci', 0xffff],
  ['utf8mb4_unicode_520_ci', 0x1ffff],
  ['utf8mb4_uca1400_ai_ci', 0x1ffff],
])('characters with equal weights in %s have equal keys', async (collation, last) => {
  const server = await sharedMariadb();
  const database = `limit_weight_${collation.replace('utf8mb4_', '')}`;
  await server.createDatabase(database);
  const rows = await server.exec(
    database,
    `select code, hex(weight_string(convert(c using utf8mb4) collate ${collation})) as weight
     from (select seq as code, convert(unhex(lpad(hex(seq), 8, '0')) using utf32) as c from seq_1_to_${last}) as characters
     where code not between 55296 and 57343`,
  );
  const lists = new Map<string, string[]>();
  for (const { code, weight } of rows) {
    const list = lists.get(String(weight)) ?? [];
    list.push(String.fromCodePoint(Number(code)));
    lists.set(String(weight), list);
  }
  // The test below compares ignored characters.
  lists.delete('');
  expect(lists.size).toBeGreaterThan(10_000);
  expect(severalKeys(lists.values())).toEqual([]);
});

test.each(['utf8mb4_general_ci', 'utf8mb4_unicode_ci', 'utf8mb4_unicode_520_ci', 'utf8mb4_uca1400_ai_ci'])(
  'characters that %s compares as equal have equal keys',
  async (collation) => {
    const server = await sharedMariadb();
    const database = `limit_key_${collation.replace('utf8mb4_', '')}`;
    await server.createDatabase(database);
    const type = `varchar(4) character set utf8mb4 collate ${collation}`;
    await server.exec(
      database,
      `create table all_characters (code int not null, c ${type} not null);
       create table plain (c ${type} not null);
       insert into plain values ${plain.map((c) => `('${c}')`).join(', ')};
       insert into all_characters select seq, convert(unhex(lpad(hex(seq), 8, '0')) using utf32)
         from seq_1_to_131071 where seq not between 55296 and 57343;`,
    );
    const equal = await server.exec(
      database,
      'select code, p.c as c from all_characters a join plain p on a.c = p.c order by code',
    );
    const without = await server.exec(
      database,
      "select code, '' as c from all_characters where concat('a', c, 'b') = 'ab' order by code",
    );
    const wrong = [...equal, ...without]
      .map(({ code, c }) => ({ character: String.fromCodePoint(Number(code)), code, base: String(c) }))
      .filter(({ character, base }) => folded(`x${character}x`) !== folded(`x${base}x`));
    expect(equal.length).toBeGreaterThan(500);
    expect(wrong.map(({ character, code, base }) => `${String(code)} ${character} ${base}`)).toEqual([]);
  },
);
