/** Which test files each run has: by the times of recorded runs (`test/times.json`), and by what they need. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `quick`: `npm test`; `long`: `npm run test:long`; `full`: `npm run test:full`; `all`: files that are named. */
export type Part = 'quick' | 'long' | 'full' | 'all';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A file that takes longer is in the long run. In seconds. */
const budget = 5;

/** Half of the service fixtures each. `npm test` has those on PostgreSQL, the long run those on MariaDB. */
const services = new Set(['test/fixtures/services.test.ts', 'test/fixtures/other-services.test.ts']);

/** Named files, and the full run: `services.test.ts` has all fixtures. */
const [, otherServices] = services;

/** The main tests besides: in `npm test` whatever they take. */
const main = new Set(['test/check/errors.test.ts', 'test/check/hints.test.ts', ...services]);

/** Draws random cases, or tries a part of all cases. */
const sampling = /from '(?:fast-check|(?:\.\.\/)+helpers\/(?:random|runs)\.js)'/;

/** Installs, starts a browser or other servers, or waits for time to pass: in the long run however quick it is. */
const long = /\.long\.test\.ts$/;

/** Runs other tests, or installs packages with each package manager: by hand. */
const full = /\.full\.test\.ts$/;

/** The seconds that each file took in its last recorded run. */
export function recordedTimes(): Readonly<Record<string, number>> {
  const path = join(root, 'test/times.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, number>) : {};
}

/** The files of a run, from the root of the repository. `also`: files that the quick run has in addition. */
export function filesOf(part: Part, also: readonly string[] = []): string[] {
  const all = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((path) => `test/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.test.ts'))
    .sort();
  if (part === 'full' || part === 'all') return all.filter((path) => path !== otherServices);
  const times = recordedTimes();
  const isQuick = (path: string): boolean => main.has(path) || isSmall(path, times);
  const others = all.filter((path) => !full.test(path));
  return part === 'quick'
    ? others.filter((path) => isQuick(path) || also.includes(path))
    : others.filter((path) => services.has(path) || !isQuick(path));
}

/** A file that was never recorded is new, and in the quick run. */
function isSmall(path: string, times: Readonly<Record<string, number>>): boolean {
  return (
    !long.test(path) && (times[path] ?? 0) <= budget && !sampling.test(readFileSync(join(root, path), 'utf8'))
  );
}
