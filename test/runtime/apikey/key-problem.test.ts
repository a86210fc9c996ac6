/** Keys with which a service refuses to start. */
import { expect, test } from 'vitest';
import { apiKey } from '../../../runtime/apikey/api-key.js';
import { problemOfKey } from '../../../runtime/apikey/key-problem.js';
import { Environment } from '../../../runtime/server/environment.js';

test.each([
  [`sha256:${'0f'.repeat(32)}`, undefined],
  [`SHA256:${'0F'.repeat(32)}`, undefined],
  [`sha256:${'0f'.repeat(31)}`, 'needs 64 hexadecimal digits after sha256:'],
  [`sha256:${'0g'.repeat(32)}`, 'needs 64 hexadecimal digits after sha256:'],
  ['k'.repeat(40), undefined],
  ['short', 'is shorter than 32 characters'],
  [`${'k'.repeat(40)} k`, 'has a space, or a character beyond ASCII, which headers change'],
  [`${'k'.repeat(40)}ä`, 'has a space, or a character beyond ASCII, which headers change'],
])('%s', (key, problem) => {
  expect(problemOfKey(key)).toBe(problem);
});

const dotted = `${'k'.repeat(20)}.${'k'.repeat(20)}.k`;

test.each([
  [dotted, 'has two dots, so the service would take it for a token'],
  [`${dotted}.k`, undefined],
  [dotted.replace('.', ''), undefined],
  [`sha256:${'0f'.repeat(32)}`, undefined],
])('%s after a scheme', (key, problem) => {
  expect(problemOfKey(key, { scheme: 'Bearer' })).toBe(problem);
  expect(problemOfKey(key)).toBe(undefined);
  const environment = new Environment({ AUTHENTICATION_ROBOTS_KEY_ONE: key }, '');
  apiKey('robots', { scheme: 'Bearer', keys: ['one'] }).readSettings(environment);
  expect(environment.problems).toEqual(
    problem === undefined
      ? []
      : [`AUTHENTICATION_ROBOTS_KEY_ONE ${problem}: it is the key one of the authentication robots`],
  );
});

test('each that is missing or wrong is named, and none is shown', () => {
  const variables = {
    AUTHENTICATION_ROBOTS_KEY_ONE: 'k'.repeat(40),
    AUTHENTICATION_ROBOTS_KEY_THREE: 'hush',
  };
  const environment = new Environment(variables, '');
  apiKey('robots', { header: 'X-Key', keys: ['one', 'two', 'three'] }).readSettings(environment);
  expect(environment.problems).toEqual([
    'AUTHENTICATION_ROBOTS_KEY_TWO is not set: it is the key two of the authentication robots',
    'AUTHENTICATION_ROBOTS_KEY_THREE is shorter than 32 characters: it is the key three of the authentication robots',
  ]);
});
