/**
 * A small steady load for a long time, with cuts of all connections: no data is lost, and no resource use grows. `SOAK_SECONDS=7200` takes
 * two hours.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import type { DatabaseKind } from '../helpers/service-fixture.js';
import { buildEntries, kinds, sharedServer } from './services.js';
import { slope, soak } from './soak.js';

const seconds = Number(process.env['SOAK_SECONDS'] ?? 16);
const rate = Number(process.env['SOAK_RATE'] ?? 100);

/** Seconds after which growth is due to the service and not to its start. */
const meaningful = 900;

let folders: ReadonlyMap<DatabaseKind, string>;

beforeAll(async () => {
  folders = await buildEntries('soak');
});

describe.concurrent.each(kinds)('%s', (kind) => {
  test(`${seconds} seconds`, { timeout: (seconds + 60) * 1000 }, async () => {
    const interval = Math.min(30, seconds / 4);
    const server = await sharedServer[kind]();
    const { samples, load, contradictions } = await soak(
      kind,
      folders.get(kind) ?? '',
      server,
      { seconds, rate, interval },
      () => undefined,
    );
    const last = samples.at(-1);
    console.log(`${kind}: ${JSON.stringify([Object.fromEntries(load.statuses), last])}`);
    expect(contradictions).toEqual([]);
    expect(load.wrong).toEqual([]);
    expect(load.statuses.get('increment 204')).toBeGreaterThan((seconds * rate) / 8);
    // The pool of ten and two shared connections, in addition to the test's clients and Node's own descriptors.
    expect(last?.sessions).toBeLessThanOrEqual(12);
    expect(last?.descriptors).toBeLessThan(60);
    if (seconds < meaningful) return;
    const settled = samples.filter(({ minutes }) => minutes > 5);
    expect(slope(settled, 'heap')).toBeLessThan(0.05);
    expect(slope(settled, 'descriptors')).toBe(0);
    expect(slope(settled, 'sessions')).toBe(0);
  });
});
