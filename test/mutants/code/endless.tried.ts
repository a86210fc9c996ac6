/** Tests in which mutants of `endless` break the process, each in a different way. */
import { afterEach, expect, test } from 'vitest';
import { isExit, isHook, isLoop, isMicrotask, isNothing } from './endless/choices.js';

afterEach(async () => {
  const answer = isHook();
  if (answer) await new Promise(() => undefined);
  expect(answer).toBe(false);
});

test('a loop', () => {
  const answer = isLoop();
  while (answer);
  expect(answer).toBe(false);
});

test('a loop of microtasks', async () => {
  const answer = isMicrotask();
  while (answer) await Promise.resolve();
  expect(answer).toBe(false);
});

test('the end of the process', () => {
  const answer = isExit();
  if (answer) process.kill(process.pid, 'SIGKILL');
  expect(answer).toBe(false);
});

test('nothing of that', () => {
  expect(isNothing()).toBe(false);
});
