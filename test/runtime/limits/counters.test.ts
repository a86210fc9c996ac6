/** Counting in windows of time, with bounded memory. */
import { describe, expect, test } from 'vitest';
import { Counters, forgetCounts } from '../../../runtime/limits/counters.js';
import { Random } from '../../helpers/random.js';

type Outcome = ReturnType<Counters['take']>;

const isCounted = (outcome: Outcome): boolean => 'giveBack' in outcome;
const giveBack = (outcome: Outcome): void => {
  if ('giveBack' in outcome) outcome.giveBack();
};

describe('a window', () => {
  test('begins with the first request of its key, and ends after its time', () => {
    const counters = new Counters(2, 1000);
    expect(isCounted(counters.take('a', 100))).toBe(true);
    expect(isCounted(counters.take('b', 600))).toBe(true);
    expect(isCounted(counters.take('a', 1099))).toBe(true);
    expect(counters.take('a', 1099)).toEqual({ timeLeft: 1 });
    expect(isCounted(counters.take('a', 1100))).toBe(true);
    expect(isCounted(counters.take('b', 1100))).toBe(true);
    expect(counters.take('b', 1200)).toEqual({ timeLeft: 400 });
  });

  test('begins with a counted request: one that was given back does not begin it', () => {
    const counters = new Counters(1, 1000);
    giveBack(counters.take('a', 0));
    expect(counters.size).toBe(0);
    expect(isCounted(counters.take('a', 900))).toBe(true);
    expect(counters.take('a', 1500)).toEqual({ timeLeft: 400 });
  });

  test('a request given back after its window has ended changes nothing', () => {
    const counters = new Counters(1, 1000);
    const old = counters.take('a', 0);
    expect(isCounted(counters.take('a', 1000))).toBe(true);
    giveBack(old);
    expect(counters.take('a', 1001)).toEqual({ timeLeft: 999 });
  });
});

test('a request that was given back makes room for one', () => {
  const counters = new Counters(2, 1000);
  const [first] = [counters.take('a', 0), counters.take('a', 0)];
  giveBack(first);
  expect(isCounted(counters.take('a', 1))).toBe(true);
  expect(isCounted(counters.take('a', 1))).toBe(false);
});

test.each(['__proto__', 'constructor', 'toString', ''])('%j is a key as any other', (key) => {
  const counters = new Counters(1, 1000);
  expect(isCounted(counters.take(key, 0))).toBe(true);
  expect(isCounted(counters.take(key, 0))).toBe(false);
  expect(isCounted(counters.take(`${key}x`, 0))).toBe(true);
});

describe('too many keys', () => {
  test('the lowest counts are forgotten first, the oldest of them first', () => {
    const counters = new Counters(3, 1000, 3);
    counters.take('twice', 0);
    counters.take('twice', 1);
    counters.take('old', 2);
    counters.take('young', 3);
    counters.take('new', 4);
    expect(counters.size).toBe(3);
    // `twice` is not forgotten: its third request is the last one.
    expect(isCounted(counters.take('twice', 5))).toBe(true);
    expect(isCounted(counters.take('twice', 5))).toBe(false);
    // `old` was forgotten, and begins again.
    expect([1, 2, 3, 4].map(() => isCounted(counters.take('old', 6)))).toEqual([true, true, true, false]);
  });

  test('a million new keys do not reset a key at its limit, nor one that is nearly there', () => {
    const counters = new Counters(3, 60_000, 1000);
    for (let count = 0; count < 3; count += 1) counters.take('victim', 0);
    for (let count = 0; count < 2; count += 1) counters.take('nearly', 0);
    for (let key = 0; key < 1_000_000; key += 1) counters.take(`key ${key}`, 1);
    expect(counters.size).toBe(1000);
    expect(isCounted(counters.take('victim', 2))).toBe(false);
    expect(isCounted(counters.take('nearly', 2))).toBe(true);
    expect(isCounted(counters.take('nearly', 2))).toBe(false);
  });

  test('where all keys are at their limit, new keys wait for the first window that ends', () => {
    const counters = new Counters(1, 1000, 2);
    counters.take('a', 0);
    counters.take('b', 300);
    expect(counters.take('c', 400)).toEqual({ timeLeft: 600 });
    expect(isCounted(counters.take('c', 1000))).toBe(true);
    expect(counters.size).toBe(2);
  });

  test('ended windows leave no keys', () => {
    const counters = new Counters(1, 1000);
    for (let key = 0; key < 1000; key += 1) counters.take(`old ${key}`, 0);
    for (let key = 0; key < 1000; key += 1) counters.take(`new ${key}`, 1000);
    expect(counters.size).toBe(1000);
  });
});

test('forgetCounts forgets the counts of all limits', () => {
  const all = [new Counters(1, 1000), new Counters(1, 1000)];
  for (const counters of all) counters.take('a', 0);
  forgetCounts();
  expect(all.map((counters) => isCounted(counters.take('a', 1)))).toEqual([true, true]);
});

test('random requests are counted as by a plain list of them', () => {
  for (let seed = 0; seed < 200; seed += 1) {
    const random = new Random(seed);
    const times = 1 + random.below(4);
    const counters = new Counters(times, 100);
    const windows = new Map<string, { end: number; requests: number }>();
    const taken: {
      readonly outcome: Outcome;
      readonly window: { requests: number };
      readonly key: string;
    }[] = [];
    let now = 0;
    for (let step = 0; step < 100; step += 1) {
      now += random.below(30);
      const key = `key ${random.below(3)}`;
      if (random.chance(30) && taken.length > 0) {
        const [one] = taken.splice(random.below(taken.length), 1);
        if (one !== undefined) {
          giveBack(one.outcome);
          one.window.requests -= 1;
          if (one.window.requests === 0 && windows.get(one.key) === one.window) windows.delete(one.key);
        }
        continue;
      }
      const known = windows.get(key);
      const window = known !== undefined && known.end > now ? known : { end: now + 100, requests: 0 };
      windows.set(key, window);
      const outcome = counters.take(key, now);
      expect(isCounted(outcome)).toBe(window.requests < times);
      if (!isCounted(outcome)) continue;
      window.requests += 1;
      taken.push({ outcome, window, key });
    }
  }
});
