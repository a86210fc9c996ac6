/** Encrypted rows of the outbox: keys, their replacement, and changed rows. */
import { describe, expect, test } from 'vitest';
import { RowCipher, SealedRow } from '../../../runtime/outbox/row-cipher.js';
import { Environment } from '../../../runtime/server/environment.js';

const [first, second] = ['a'.repeat(32), 'b'.repeat(40)];
const row = { id: 'one', url: '/reset?token=abc', header: '{"X":"1"}', content: '{"token":"abc"}' };

function cipherWith(variables: Readonly<Record<string, string>>, isNeeded = true) {
  const environment = new Environment(variables, '');
  const cipher = new RowCipher(isNeeded);
  cipher.readSettings(environment);
  return { cipher, problems: environment.problems, secrets: environment.secrets };
}

test('a row is the same after it was encrypted and decrypted, and nothing of it is readable before', () => {
  const { cipher, problems, secrets } = cipherWith({ OUTBOX_KEY: first });
  expect(problems).toEqual([]);
  expect(secrets).toEqual([first]);
  const sealed = cipher.seal(row);
  expect(sealed).toMatchObject({ id: 'one', url: '', content: null });
  expect(Buffer.from(sealed.header.slice(2), 'base64url').toString('latin1')).not.toContain('abc');
  expect(cipher.open(sealed)).toEqual(row);
  expect(cipher.seal(row).header).not.toBe(sealed.header);
});

test('a plain row is left as it is', () => {
  expect(cipherWith({}, false).cipher.open(row)).toBe(row);
});

test('both keys decrypt, and the first one encrypts', () => {
  const sealed = cipherWith({ OUTBOX_KEY: first }).cipher.seal(row);
  const { cipher } = cipherWith({ OUTBOX_KEY: second, OUTBOX_KEY_2: first });
  expect(cipher.open(sealed)).toEqual(row);
  expect(cipherWith({ OUTBOX_KEY: second }).cipher.open(cipher.seal(row))).toEqual(row);
});

describe('a row is refused', () => {
  const { cipher } = cipherWith({ OUTBOX_KEY: first });
  const { header } = cipher.seal(row);
  const flipped = (index: number): string => {
    const bytes = Buffer.from(header.slice(2), 'base64url');
    bytes[index] = (bytes[index] ?? 0) ^ 1;
    return `1.${bytes.toString('base64url')}`;
  };
  const sealed = { ...row, url: '', content: null };
  test.each([
    ['with the content of another row', { ...sealed, id: 'two', header }],
    ['with a changed vector', { ...sealed, header: flipped(0) }],
    ['with changed data', { ...sealed, header: flipped(20) }],
    [
      'with a changed tag',
      { ...sealed, header: flipped(Buffer.from(header.slice(2), 'base64url').length - 1) },
    ],
    ['without a tag', { ...sealed, header: '1.abcd' }],
  ])('%s', (_, changed) => {
    expect(() => cipher.open(changed)).toThrow(SealedRow);
  });
  test('without its key', () => {
    expect(() => cipherWith({ OUTBOX_KEY: second }).cipher.open({ ...sealed, header })).toThrow(SealedRow);
  });
});

test.each([
  [{}, true, ['OUTBOX_KEY is not set: it encrypts results of RANDOM, HASH and TOKEN in the outbox']],
  [
    { OUTBOX_KEY_2: first },
    true,
    ['OUTBOX_KEY is not set: it encrypts results of RANDOM, HASH and TOKEN in the outbox'],
  ],
  [{ OUTBOX_KEY: 'short' }, true, ['OUTBOX_KEY is shorter than 32 bytes']],
  [{ OUTBOX_KEY: first, OUTBOX_KEY_2: 'short' }, true, ['OUTBOX_KEY_2 is shorter than 32 bytes']],
  [{}, false, []],
])('settings %j', (variables, isNeeded, problems) => {
  expect(cipherWith(variables, isNeeded).problems).toEqual(problems);
});
