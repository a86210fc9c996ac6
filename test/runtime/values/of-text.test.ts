/** RANDOM, SHA256, LENGTH and LOWER. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lengthOf, lowerCase, sha256 } from '../../../runtime/values/of-text.js';
import { randomText } from '../../../runtime/values/random.js';

let noted: unknown[] = [];
const note = (secret: unknown): void => void noted.push(secret);
beforeEach(() => {
  noted = [];
  subscribe('apikiln.secret', note);
});
afterEach(() => unsubscribe('apikiln.secret', note));

test('random bytes in both forms, each a new one and a secret', () => {
  const made = [randomText(16), randomText(64), randomText(16, 'hex'), randomText(16, 'hex')];
  expect(made[0]).toMatch(/^[\w-]{22}$/);
  expect(made[1]).toMatch(/^[\w-]{86}$/);
  expect(made[2]).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(made).size).toBe(4);
  expect(noted).toEqual(made);
});

test('the digest of the UTF-8 of a string; what it is of is a secret', () => {
  expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(sha256('ž')).toBe('4b6877a9d48058e5c23046bd3cd92f4c7604f0c1f8509d42b9112e057023b872');
  expect(noted).toEqual(['abc', 'ž']);
});

test.each([
  ['', '', 0],
  ['ÀÉ', 'àé', 2],
  ['İ', 'i̇', 1],
  ['𝒳🎉', '𝒳🎉', 2],
  [12.5, '12.5', 4],
  [true, 'true', 4],
] as const)('%j is %j in lower case and has %i code points', (value, lower, length) => {
  expect([lowerCase(value), lengthOf(value)]).toEqual([lower, length]);
  expect(sha256(value)).toBe(sha256(String(value)));
});

test.each([null, undefined, ['a'], { a: 'A' }])('%j is no string', (value) => {
  expect([lowerCase(value), lengthOf(value), sha256(value)]).toEqual([null, null, null]);
  expect(noted).toEqual([]);
});
