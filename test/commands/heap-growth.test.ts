/** The heap is limited for a large configuration, however many files it has, and unlimited for a small one. */
import { expect, test } from 'vitest';
import { readLimitingHeap } from '../../compiler/tools/commands/shared/files/read-text.js';

const part = 'a'.repeat(1_500_000);

test('two files that are large together', () => {
  const flags: string[] = [];
  const read = readLimitingHeap(
    () => part,
    (flag) => flags.push(flag),
  );
  expect(read('/one.yaml', 'one.yaml')).toBe(part);
  expect(flags).toEqual([]);
  read('/other.yaml', 'other.yaml');
  expect(flags).toEqual(['--heap-growing-percent=100']);
});
