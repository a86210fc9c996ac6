/** Keys that a service does not start with. */
import { expect, test } from 'vitest';
import { problemOfKey } from '../../../runtime/apikey/key-problem.js';

test.each([
  [`sha256:${'0f'.repeat(32)}`, undefined],
  [`SHA256:${'0F'.repeat(32)}`, undefined],
  [`sha256:${'0f'.repeat(31)}`, 'needs 64 hexadecimal digits behind sha256:'],
  [`sha256:${'0g'.repeat(32)}`, 'needs 64 hexadecimal digits behind sha256:'],
  ['k'.repeat(40), undefined],
  ['short', 'is shorter than 32 characters'],
  [`${'k'.repeat(40)} k`, 'has a space, or a character beyond ASCII, which headers change'],
  [`${'k'.repeat(40)}ä`, 'has a space, or a character beyond ASCII, which headers change'],
])('%s', (key, problem) => {
  expect(problemOfKey(key)).toBe(problem);
});
