/** Documents copied without parsing: the bytes equal JSON.stringify of the parsed document, or the copy is refused. */
import { expect, test } from 'vitest';
import { parseJson } from '../../../runtime/handler/parse-json.js';
import { writeJson } from '../../../runtime/sql/json-bytes.js';
import { notWritten } from '../../../runtime/sql/row-format.js';
import { Random } from '../../helpers/random.js';
import { runs } from '../../helpers/runs.js';

/** Undefined if the copy is refused. The surrounding bytes belong to other values. */
function copied(text: string | Buffer): string | undefined {
  const bytes = Buffer.concat([Buffer.from('"1,'), Buffer.from(text as string), Buffer.from('"]}1,')]);
  const out = Buffer.alloc(bytes.length + 1);
  const end = writeJson(bytes, 3, bytes.length - 5, out, 1);
  return end === notWritten ? undefined : out.toString('utf8', 1, end);
}

test.each([
  ['null', 'null'],
  [' { "b" : 1 ,\n"a": [ true , false,\tnull ]\r}', '{"b":1,"a":[true,false,null]}'],
  ['[1.50, -2, 0.0, 123456789012345]', '[1.5,-2,0,123456789012345]'],
  ['"é😀\u007f\u2028 \\" \\\\ \\b\\f\\n\\r\\t"', '"é😀\u007f\u2028 \\" \\\\ \\b\\f\\n\\r\\t"'],
  ['{"":0,"a":{"a":1},"b":[{"a":2}]}', '{"":0,"a":{"a":1},"b":[{"a":2}]}'],
  ['[[],{},[{}]]', '[[],{},[{}]]'],
])('%s is copied', (text, expected) => {
  expect(copied(text)).toBe(expected);
  expect(JSON.stringify(parseJson(text))).toBe(expected);
});

test.each([
  ['a key twice', '{"a":1,"b":2,"a":3}'],
  ['keys that look like indexes', '{"b":1,"10":2,"2":3}'],
  ['escapes without need', '["\\/","\\u0041"]'],
  ['half of a character', '"\\ud83d"'],
  ['minus zero', '-0'],
  ['an exponent', '1e3'],
  ['digits that a double cannot hold', '[12345678901234567890]'],
  ['lists in very many lists', `${'['.repeat(100)}${']'.repeat(100)}`],
  [
    'very many keys',
    JSON.stringify(Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`k${at}`, at]))),
  ],
])('%s is parsed', (_, text) => {
  parseJson(text);
  expect(copied(text)).toBeUndefined();
});

test.each([
  ...[
    '',
    ' ',
    '1 2',
    '[1,]',
    '[,1]',
    '{"a"}',
    '{"a":}',
    '{,}',
    '{a:1}',
    '[1',
    '"a',
    '"\\',
    '"\t"',
    'tru',
    'nul',
  ],
  ...['truex', '01', '+1', '1.', '.5', '-', '[1}', '{"a":1]', "'a'", '{"a":1,}', '// 1', 'NaN', '\ufeff1'],
])('%j is no JSON', (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError);
  expect(copied(text)).toBeUndefined();
});

test('bytes that are not UTF-8 are parsed', () => {
  expect(copied(Buffer.from([0x22, 0xc3, 0x22]))).toBeUndefined();
});

test('random texts, also such that are no JSON', () => {
  const random = new Random(3);
  let written = 0;
  for (let round = 0; round < runs(5000, 500_000); round += 1) {
    const document = documentOf(random, 4);
    const text = random.chance(40) ? changed(random, document) : document;
    const found = copied(text);
    if (found === undefined) continue;
    written += 1;
    expect(found).toBe(JSON.stringify(parseJson(text)));
  }
  expect(written).toBeGreaterThan(runs(5000, 500_000) / 5);
});

const atoms = [
  ...['1', '-1', '0', '-0', '1.50', '0.0', '1e3', '12345678901234567', '0.0000001', 'true', 'false', 'null'],
  ...['""', '"a"', '"é"', '"\\n"', '"\\u0061"', '"\\""', '"😀,]}"', '"1"'],
];
const keys = ['a', 'b', 'c', 'aa', '', '1', 'a1', 'é', '\\"', '__proto__', 'toString'];

function documentOf(random: Random, depth: number): string {
  const blank = (): string => random.pick(['', '', '', ' ', '\n']);
  const parts = (make: () => string): string =>
    random.some(random.below(5), make).join(`${blank()},${blank()}`);
  if (depth === 0 || random.chance(30)) return random.pick(atoms);
  if (random.chance(50)) return `[${blank()}${parts(() => documentOf(random, depth - 1))}${blank()}]`;
  return `{${blank()}${parts(() => `"${random.pick(keys)}"${blank()}:${documentOf(random, depth - 1)}`)}${blank()}}`;
}

/** The text with one character removed, added or replaced. */
function changed(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  const character = random.pick('[]{},:"\\-.0 1etfn\t'.split(''));
  const made = text.slice(0, at) + (random.chance(50) ? character : '') + text.slice(at + random.below(2));
  // Replaces lone surrogates, which UTF-8 cannot represent.
  return Buffer.from(made).toString();
}
