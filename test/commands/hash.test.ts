/** `apikiln hash`: the service accepts the printed hash and rejects everything else. */
import { createHash, scryptSync } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { problemOfKey } from '../../runtime/apikey/key-problem.js';
import { readPasswordHash } from '../../runtime/password-hash/password-hash.js';
import { hash, type HashOptions } from '../../compiler/tools/commands/hash.js';
import { terminalOf } from '../../compiler/tools/commands/shared/output/terminal.js';

async function printed(text: string, options: HashOptions = {}): Promise<readonly string[]> {
  const lines: string[] = [];
  const terminal = { ...terminalOf(process), print: (line: string) => void lines.push(line) };
  expect(await hash(options, terminal, Readable.from([text]))).toBe(0);
  return lines;
}

function matches(password: string, written: string | undefined): boolean {
  const found = readPasswordHash(written ?? '');
  if (found === undefined) throw new Error('The service would not accept the hash.');
  return scryptSync(password, found.salt, found.hash.length, found.cost).equals(found.hash);
}

test('the hash is of the first line, in the form that the service reads', async () => {
  const [written] = await printed('correct horse\r\nbattery\n');
  expect(written).toMatch(/^\$scrypt\$ln=15,r=8,p=1\$/);
  expect(matches('correct horse', written)).toBe(true);
  expect(matches('battery', written)).toBe(false);
});

test('letters are those of Normalization Form C, as the service compares them', async () => {
  const [written] = await printed('cafe\u0301');
  expect(matches('caf\u00e9', written)).toBe(true);
});

test('each hash has a salt of its own', async () => {
  expect(await printed('a')).not.toEqual(await printed('a'));
});

test('a key has its digest', async () => {
  const key = 'customer-key-in-the-table-0123456789';
  const digest = createHash('sha256').update(key).digest('hex');
  expect(await printed(`${key}\n`, { key: true })).toEqual([`sha256:${digest}`]);
});

test('a new key is one that the service accepts, and another each time', async () => {
  const [key = '', digest] = await printed('', { newKey: true });
  expect(problemOfKey(key)).toBeUndefined();
  expect(await printed(key, { key: true })).toEqual([digest]);
  expect((await printed('', { newKey: true }))[0]).not.toBe(key);
});

test.each([
  ['nothing', '', {}, 'The password is empty.'],
  ['a control character', 'a\tb', {}, 'The password has a control character, which no client sends.'],
  ['a short key', 'abc', { key: true }, 'The API key is shorter than 32 characters.'],
  ['a digest', `sha256:${'0'.repeat(64)}`, { key: true }, 'The API key is already a digest.'],
])('%s is refused without being shown', async (_, text, options, message) => {
  await expect(printed(text, options)).rejects.toThrow(message);
});
