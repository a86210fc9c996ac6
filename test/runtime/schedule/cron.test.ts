/** Schedules of triggers, compared with the interpretation of the cron library. */
import { describe, expect, test } from 'vitest';
import { readCron } from '../../../runtime/schedule/cron.js';

/** The next ticks after an instant. */
function ticks(pattern: string, timezone: string, after: string, count: number): string[] {
  const rule = readCron(pattern, timezone);
  const found: string[] = [];
  let time: Date | undefined = new Date(after);
  while (found.length < count) {
    time = rule.next(time);
    if (time === undefined) break;
    found.push(time.toISOString().replace('.000Z', 'Z'));
  }
  return found;
}

const day = (date: string) => `${date}T00:00:00Z`;

/** Schedules with their first ticks after 2024-01-01T00:00:00Z, in UTC. */
test.each<[string, string[]]>([
  ['0 * * * * *', ['2024-01-01T00:01:00Z', '2024-01-01T00:02:00Z']],
  ['0 0 * * * *', ['2024-01-01T01:00:00Z', '2024-01-01T02:00:00Z']],
  ['* * * * * *', ['2024-01-01T00:00:01Z', '2024-01-01T00:00:02Z']],
  ['*/20 * * * * *', ['2024-01-01T00:00:20Z', '2024-01-01T00:00:40Z', '2024-01-01T00:01:00Z']],
  ['  0  0 3 * * *  ', ['2024-01-01T03:00:00Z', '2024-01-02T03:00:00Z']],
  ['0 5/10 * * * *', ['2024-01-01T00:05:00Z', '2024-01-01T00:15:00Z', '2024-01-01T00:25:00Z']],
  ['0 0 12 1/3 * *', ['2024-01-01T12:00:00Z', '2024-01-04T12:00:00Z']],
  ['0 0 9-11 * * *', ['2024-01-01T09:00:00Z', '2024-01-01T10:00:00Z', '2024-01-01T11:00:00Z']],
  ['0 15,45 8 * * *', ['2024-01-01T08:15:00Z', '2024-01-01T08:45:00Z', '2024-01-02T08:15:00Z']],
  // Day of month and day of week must both match: Fridays the 13th.
  ['0 0 0 13 * 5', [day('2024-09-13'), day('2024-12-13'), day('2025-06-13')]],
  ['0 0 0 1-7 * MON', [day('2024-02-05'), day('2024-03-04'), day('2024-04-01')]],
  ['0 0 0 ? * MON', [day('2024-01-08'), day('2024-01-15')]],
  ['0 0 0 * * 0', [day('2024-01-07'), day('2024-01-14')]],
  ['0 0 0 * * 7', [day('2024-01-07'), day('2024-01-14')]],
  ['0 0 0 * * MON-FRI', [day('2024-01-02'), day('2024-01-03')]],
  ['0 0 0 L * *', [day('2024-01-31'), day('2024-02-29')]],
  ['0 0 0 29 2 *', [day('2024-02-29'), day('2028-02-29')]],
  ['0 0 0 1 JAN,JUL *', [day('2024-07-01'), day('2025-01-01')]],
])('%s', (pattern, expected) => {
  expect(ticks(pattern, 'UTC', '2024-01-01T00:00:00Z', expected.length)).toEqual(expected);
});

test('ticks are whole seconds after the time, never at it', () => {
  expect(ticks('* * * * * *', 'UTC', '2024-01-01T00:00:00.500Z', 1)).toEqual(['2024-01-01T00:00:01Z']);
  expect(ticks('0 0 3 * * *', 'UTC', '2024-01-01T02:59:59.999Z', 1)).toEqual(['2024-01-01T03:00:00Z']);
  expect(ticks('0 0 3 * * *', 'UTC', '2024-01-01T03:00:00.000Z', 1)).toEqual(['2024-01-02T03:00:00Z']);
});

test.each(['0 0 0 30 2 *', '0 0 0 31 4,6 *', '0 0 0 30 2 MON'])('%s never ticks', (pattern) => {
  expect(readCron(pattern, 'UTC').next(new Date())).toBeUndefined();
});

test.each([
  '',
  '* * * * *',
  '* * * * * * *',
  '@hourly',
  '2030-01-01T00:00:00',
  '60 * * * * *',
  '0 60 * * * *',
  '0 0 24 * * *',
  '0 0 0 32 * *',
  '0 0 0 * 13 *',
  '0 0 0 * * 8',
  '0 0 0 * * FOO',
  '0 0 0 0 * *',
  '*/0 * * * * *',
  '5-1 * * * * *',
  'a b c d e f',
])('%j is not a schedule', (pattern) => {
  expect(() => readCron(pattern, 'UTC')).toThrow();
});

test('a time zone that is not known is an error', () => {
  expect(() => readCron('* * * * * *', 'Nowhere/City')).toThrow('Nowhere/City');
});

describe('clocks that are changed', () => {
  /** A daily job at a time that is skipped in spring and occurs twice in autumn. */
  test.each<[string, string, string, string[]]>([
    // Berlin: 02:00 → 03:00 at 01:00Z, 03:00 → 02:00 at 01:00Z.
    [
      '0 30 2 * * *',
      'Europe/Berlin',
      '2024-03-30T12:00:00Z',
      ['2024-03-31T01:00:00Z', '2024-04-01T00:30:00Z'],
    ],
    [
      '0 30 2 * * *',
      'Europe/Berlin',
      '2024-10-26T12:00:00Z',
      ['2024-10-27T00:30:00Z', '2024-10-28T01:30:00Z'],
    ],
    // New York: 02:00 → 03:00 at 07:00Z, 02:00 → 01:00 at 06:00Z.
    [
      '0 30 2 * * *',
      'America/New_York',
      '2024-03-09T12:00:00Z',
      ['2024-03-10T07:00:00Z', '2024-03-11T06:30:00Z'],
    ],
    [
      '0 30 1 * * *',
      'America/New_York',
      '2024-11-02T12:00:00Z',
      ['2024-11-03T05:30:00Z', '2024-11-04T06:30:00Z'],
    ],
    // Lord Howe Island shifts by half an hour: 02:00 → 02:30 at 15:30Z, 02:00 → 01:30 at 15:00Z.
    [
      '0 15 2 * * *',
      'Australia/Lord_Howe',
      '2024-10-05T12:00:00Z',
      ['2024-10-05T15:30:00Z', '2024-10-06T15:15:00Z'],
    ],
    [
      '0 45 1 * * *',
      'Australia/Lord_Howe',
      '2024-04-06T12:00:00Z',
      ['2024-04-06T14:45:00Z', '2024-04-07T15:15:00Z'],
    ],
    // Havana: 00:00 → 01:00 at 05:00Z, 01:00 → 00:00 at 05:00Z.
    [
      '0 0 0 * * *',
      'America/Havana',
      '2024-03-09T12:00:00Z',
      ['2024-03-10T05:00:00Z', '2024-03-11T04:00:00Z'],
    ],
    [
      '0 30 0 * * *',
      'America/Havana',
      '2024-11-02T12:00:00Z',
      ['2024-11-03T04:30:00Z', '2024-11-04T05:30:00Z'],
    ],
  ])('%s in %s after %s runs once a day', (pattern, timezone, after, expected) => {
    expect(ticks(pattern, timezone, after, expected.length)).toEqual(expected);
  });

  /** The ticks from the day before the change to the day after. */
  test.each<[string, string, string, string[]]>([
    // All skipped times together are one tick, which may coincide with a regular tick.
    ['0 0,30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', ['29T01:00', '30T00:00', '30T00:30']],
    ['0 */15 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', ['29T01:00', '30T00:00', '30T00:15']],
    ['0 30 2,3 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', ['29T01:00', '29T01:30', '30T00:30']],
    [
      '0 30 * * * *',
      'Europe/Berlin',
      '2026-03-29T00:00:00Z',
      ['29T00:30', '29T01:00', '29T01:30', '29T02:30'],
    ],
    ['0 */15 * * * *', 'Europe/Berlin', '2026-03-29T00:30:00Z', ['29T00:45', '29T01:00', '29T01:15']],
    // Samoa skipped 30 December 2011; in Beirut, a day in March has no midnight.
    ['0 0 3 30 12 *', 'Pacific/Apia', '2011-12-01T00:00:00Z', ['30T10:00', '29T13:00']],
    ['0 0,30 0 * * *', 'Asia/Beirut', '2026-03-28T12:00:00Z', ['28T22:00', '29T21:00', '29T21:30']],
    // In a repeated hour, numbers match the first time, and stars, ranges and steps match both times; each part of a list is treated
    // separately.
    ['0 0,30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', ['25T00:00', '25T00:30', '26T01:00']],
    ['0 30 1,2,3 * * *', 'Europe/Berlin', '2026-10-24T22:00:00Z', ['24T23:30', '25T00:30', '25T02:30']],
    ['0 30 2-2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', ['25T00:30', '25T01:30', '26T01:30']],
    [
      '0 30 */2 * * *',
      'Europe/Berlin',
      '2026-10-24T22:00:00Z',
      ['24T22:30', '25T00:30', '25T01:30', '25T03:30'],
    ],
    ['0 30 2/2 * * *', 'Europe/Berlin', '2026-10-24T23:00:00Z', ['25T00:30', '25T01:30', '25T03:30']],
    ['0 30 2,3-4 * * *', 'Europe/Berlin', '2026-10-24T22:00:00Z', ['25T00:30', '25T02:30', '25T03:30']],
    [
      '0 30 2-3,4 * * *',
      'Europe/Berlin',
      '2026-10-24T22:00:00Z',
      ['25T00:30', '25T01:30', '25T02:30', '25T03:30'],
    ],
    // Troll shifts by two hours: 3:00 → 1:00 at 01:00Z.
    [
      '0 30 1-2,2 * * *',
      'Antarctica/Troll',
      '2026-10-24T22:00:00Z',
      ['24T23:30', '25T00:30', '25T01:30', '25T02:30'],
    ],
    ['0 30 1,2 * * *', 'Antarctica/Troll', '2026-10-24T22:00:00Z', ['24T23:30', '25T00:30', '26T01:30']],
  ])('%s in %s after %s', (pattern, timezone, after, expected) => {
    const found = ticks(pattern, timezone, after, expected.length);
    expect(found.map((tick) => tick.slice(8, 16))).toEqual(expected);
  });

  test('a start between the two occurrences does not run it a second time', () => {
    const rule = readCron('0 30 2 * * *', 'Europe/Berlin');
    for (const time of [
      '2024-10-27T00:30:00Z',
      '2024-10-27T00:45:00Z',
      '2024-10-27T01:00:00Z',
      '2024-10-27T01:29:59Z',
    ])
      expect(rule.next(new Date(time))?.toISOString()).toBe('2024-10-28T01:30:00.000Z');
  });

  test('every hour is every hour', () => {
    const hours = (after: string, count: number) => ticks('0 0 * * * *', 'Europe/Berlin', after, count);
    expect(hours('2024-03-31T00:30:00Z', 2)).toEqual(['2024-03-31T01:00:00Z', '2024-03-31T02:00:00Z']);
    expect(hours('2024-10-26T23:30:00Z', 3)).toEqual([
      '2024-10-27T00:00:00Z',
      '2024-10-27T01:00:00Z',
      '2024-10-27T02:00:00Z',
    ]);
  });

  test('every second of the hour that occurs twice is there twice, and none is missing or doubled', () => {
    const rule = readCron('0 */10 * * * *', 'Europe/Berlin');
    let time = new Date('2024-10-26T23:00:00Z');
    for (let step = 1; step <= 30; step += 1) {
      time = rule.next(time) ?? time;
      expect(time.getTime()).toBe(Date.parse('2024-10-26T23:00:00Z') + step * 600_000);
    }
  });

  test.each([
    ['Asia/Kolkata', '2024-06-01T21:30:00Z'],
    ['UTC', '2024-06-02T03:00:00Z'],
    ['America/Los_Angeles', '2024-06-01T10:00:00Z'],
  ])('three in the morning in %s', (timezone, expected) => {
    expect(ticks('0 0 3 * * *', timezone, '2024-06-01T04:00:00Z', 1)).toEqual([expected]);
  });
});
