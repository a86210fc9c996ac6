/** Assigns test files to runs, based on recorded times (`test/times.json`) and on what the files need. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `quick`: `npm test`; `long`: `npm run test:long`; `full`: `npm run test:full`; `all`: files named on the command line. */
export type Part = 'quick' | 'long' | 'full' | 'all';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** In seconds. Slower files belong to the long run. */
const budget = 5;

/** Each file tests half of the service fixtures, with PostgreSQL in `npm test` and MariaDB in the long run. */
const services = new Set(['test/fixtures/services.test.ts', 'test/fixtures/other-services.test.ts']);

/** If files are named, and in the full run, `services.test.ts` tests all fixtures. */
const [, otherServices] = services;

/** The main tests, which are part of `npm test` however long they take. */
const main = new Set(['test/check/errors.test.ts', 'test/check/hints.test.ts', ...services]);

/** Matches files that draw random cases, or try a part of all cases. */
const sampling = /from '(?:fast-check|(?:\.\.\/)+helpers\/(?:random|runs)\.js)'/;

/** Installs packages, starts a browser or additional servers, or waits: part of the long run even if it is fast. */
const long = /\.long\.test\.ts$/;

/** Runs other tests, or installs packages with each package manager: part of the full run only. */
const full = /\.full\.test\.ts$/;

/** Seconds taken by each file in its last recorded run. */
export function recordedTimes(): Readonly<Record<string, number>> {
  const path = join(root, 'test/times.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, number>) : {};
}

/** The files of a run, relative to the repository. `also`: additional files for the quick run. */
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

/** A file without a recorded time is new, and belongs to the quick run. */
function isSmall(path: string, times: Readonly<Record<string, number>>): boolean {
  return (
    !long.test(path) && (times[path] ?? 0) <= budget && !sampling.test(readFileSync(join(root, path), 'utf8'))
  );
}
