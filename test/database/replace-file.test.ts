/** Files are replaced on Windows even if another program has them open for a moment. */
import { expect, test } from 'vitest';
import { replaceFile } from '../../compiler/analyze/database/replace-file.js';

/** A rename that fails the given number of times. */
function failing(times: number, code: string): { rename: () => void; readonly calls: () => number } {
  let calls = 0;
  return {
    rename: () => {
      calls += 1;
      if (calls <= times) throw Object.assign(new Error(code), { code });
    },
    calls: () => calls,
  };
}

test.each(['EPERM', 'EACCES', 'EBUSY'])('%s is tried again on Windows', (code) => {
  const { rename, calls } = failing(3, code);
  replaceFile('a', 'b', rename, 'win32');
  expect(calls()).toBe(4);
});

test('a file that stays open is an error', () => {
  const { rename, calls } = failing(1000, 'EPERM');
  expect(() => {
    replaceFile('a', 'b', rename, 'win32');
  }).toThrow('EPERM');
  expect(calls()).toBe(50);
});

test.each([
  ['ENOENT', 'win32'],
  ['EPERM', 'linux'],
  ['EPERM', 'darwin'],
] as const)('%s on %s is an error immediately', (code, platform) => {
  const { rename, calls } = failing(1, code);
  expect(() => {
    replaceFile('a', 'b', rename, platform);
  }).toThrow(code);
  expect(calls()).toBe(1);
});
