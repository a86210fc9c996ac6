/** Schedules at each clock change in the world, compared with a check of every minute around the change. */
import { describe, expect, test } from 'vitest';
import { readCron } from '../../../runtime/schedule/cron.js';
import { Random } from '../../helpers/random.js';
import { everyOf, runs } from '../../helpers/runs.js';
import { ChangedDays, WallClock } from './clock-oracle.js';

/** Common schedules, and schedules for which the hours of a change make a difference. */
const written = [
  ...['0 * * * * *', '0 0 * * * *', '0 30 * * * *', '0 15,45 * * * *', '0 */5 * * * *', '0 */15 * * * *'],
  ...['0 7/20 * * * *', '30 59 * * * *', '*/20 0 * * * *', '0,30 29 * * * *', '0 0-10 * * * *'],
  ...['0 30 2 * * *', '0 0 2 * * *', '0 0 3 * * *', '0 0,30 2 * * *', '0 */15 2 * * *', '0 * 2 * * *'],
  ...['15 30 2 * * *', '59 59 2 * * *', '*/10 30 2 * * *', '0 30 1 * * *', '0 0,30 1 * * *', '0 15 0 * * *'],
  ...['0 0 0 * * *', '0 0,59 0 * * *', '59 59 23 * * *', '0 30,45 23 * * *', '0 */10 23 * * *'],
  ...['0 30 2,3 * * *', '0 0,30 1,2,3 * * *', '0 0 0,12 * * *', '0 30 0,1,22,23 * * *'],
  ...['0 30 1-3 * * *', '0 0 0-2 * * *', '0 0,30 2-2 * * *', '0 30 22-23 * * *', '0 */20 0-5 * * *'],
  ...['0 30 */2 * * *', '0 0 */3 * * *', '0 30 1/2 * * *', '0 15 2/24 * * *', '0 30 0-6/3 * * *'],
  ...['0 30 1-2,3 * * *', '0 30 1,2-3 * * *', '0 30 2,*/4 * * *', '0 30 ? * * *', '0 45 2-3,23 * * *'],
  ...['0 30 2 * * SUN', '0 30 2 * * 7', '0 0,30 2 * * MON-FRI', '0 30 0 * * FRI,SAT', '0 30 2 ? * 6'],
  ...['0 30 2 L * *', '0 30 2 * * 0L', '0 30 2 * * 0#2', '0 0 0 30 * *', '0 30 2 1-7 * 0', '0 0 3 29 3 *'],
  ...['0 0 12 30 12 *', '0 */30 1-3 25-31 3,10 0', '0 30 2 31 * *', '0 0 0 1 1 *', '0 30 1,2 */2 * *'],
];

/** Random schedules, the same in each run. */
function drawn(count: number): string[] {
  const random = new Random(7);
  const number = (from: number, to: number): number => from + random.below(to - from + 1);
  const part = (from: number, to: number): string => {
    const first = number(from, to);
    const step = random.chance(30) ? `/${number(1, Math.floor((to - from) / 2))}` : '';
    return random.chance(50)
      ? `${first}`
      : random.chance(20)
        ? `*${step}`
        : `${first}-${number(first, to)}${step}`;
  };
  const list = (from: number, to: number): string =>
    random.some(number(1, 3), () => part(from, to)).join(',');
  return random.some(count, () => {
    const second = random.chance(80) ? '0' : `${number(0, 59)},${number(0, 59)}`;
    const hour = random.chance(15) ? '*' : random.chance(60) ? list(0, 4) : list(0, 23);
    const days = random.chance(80) ? '*' : list(1, 31);
    return `${second} ${list(0, 59)} ${hour} ${days} * ${random.chance(80) ? '*' : list(0, 7)}`;
  });
}

const schedules = [...written, ...drawn(runs(10, 60))];

/** Years with clock changes of unusual length, at unusual hours, by whole days, frequently, or for a short time. */
const unusual: readonly (readonly [zone: string, year: number])[] = [
  ...(['Australia/Lord_Howe', 'Antarctica/Troll', 'Africa/Cairo', 'Asia/Beirut'] as const).map(of(2026)),
  ...(['Africa/Casablanca', 'Asia/Gaza', 'America/Havana', 'Europe/Berlin'] as const).map(of(2026)),
  ['America/Sao_Paulo', 2018],
  ['Pacific/Apia', 2011],
  ['Pacific/Kwajalein', 1993],
  ['Pacific/Kwajalein', 1969],
  ['America/Caracas', 2007],
  ['Asia/Pyongyang', 2018],
  ['Asia/Kathmandu', 1985],
  ['Europe/London', 1947],
  ['America/St_Johns', 2006],
  ['Asia/Amman', 2022],
  ['America/Godthab', 2023],
  ['Antarctica/Casey', 2010],
];

function of(year: number) {
  return (zone: string) => [zone, year] as const;
}

/** All ticks of the days, in order. */
function ticksOf(schedule: string, zone: string, { from, to }: ChangedDays): number[] {
  const rule = readCron(schedule, zone);
  const ticks: number[] = [];
  for (let tick = rule.next(new Date(from)); tick !== undefined; tick = rule.next(tick)) {
    if (tick.getTime() > to) break;
    ticks.push(tick.getTime());
  }
  return ticks;
}

const inUtc = (times: readonly number[]): string[] => times.map((time) => new Date(time).toISOString());

function compare(zone: string, days: ChangedDays, schedule: string): void {
  const expected = days.ticks(schedule);
  const where = `${schedule} in ${zone} at ${new Date(days.change).toISOString()}`;
  expect(inUtc(ticksOf(schedule, zone, days)), where).toEqual(inUtc(expected));
  // A service started at any other time computes the same next tick.
  const rule = readCron(schedule, zone);
  for (const hours of [-2, -1, -0.25, 0, 0.25, 0.5, 1, 2, 23]) {
    const start = days.change + hours * 3_600_000 - 1000;
    const next = expected.find((tick) => tick > start);
    if (next !== undefined)
      expect(rule.next(new Date(start))?.toISOString(), `${where}, after ${start}`).toBe(
        new Date(next).toISOString(),
      );
  }
}

/** Tests a part of the schedules, a different one in each zone; all of them with MANY_RUNS=1. */
function compareAll(zone: string, days: ChangedDays, index: number): void {
  const part = schedules.filter((_, at) => at % everyOf(6) === index % everyOf(6));
  for (const schedule of part) compare(zone, days, schedule);
}

describe('ticks are those of the written rule', () => {
  test.each(unusual.map(([zone, year], index) => [zone, year, index] as const))(
    '%s in %i',
    (zone, year, index) => {
      const clock = new WallClock(zone);
      const changes = clock.changesOf(year);
      expect(changes).not.toEqual([]);
      for (const change of changes) compareAll(zone, new ChangedDays(clock, change), index);
    },
  );

  test('an offset with seconds: Monrovia in 1972', () => {
    const clock = new WallClock('Africa/Monrovia');
    const [change = NaN] = clock.changesOf(1972, 1000);
    const days = new ChangedDays(clock, change, 1000);
    for (const schedule of ['0 30 0 * * *', '0 */15 * * * *', '15 10,20 0 * * *', '0 50 0 * * *'])
      compare('Africa/Monrovia', days, schedule);
  });

  const zones = Intl.supportedValuesOf('timeZone').map((zone, index) => [zone, index] as const);
  test.each(zones.filter(([, index]) => index % everyOf(80) === 0))('%s in 2026', (zone, index) => {
    const clock = new WallClock(zone);
    const changes = clock.changesOf(2026);
    // Zones without clock changes use an ordinary day.
    if (changes.length === 0) changes.push(Date.UTC(2026, 5, 15));
    for (const change of changes) compareAll(zone, new ChangedDays(clock, change), index);
  });
});
