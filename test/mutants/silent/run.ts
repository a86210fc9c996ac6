/** Makes the mutants of a class, and finds the diagnostics of each that its base does not have. */
import { checkSource, type Input } from '../../../compiler/compile.js';
import type { Diagnostic } from '../../../compiler/read/diagnostics/diagnostic.js';
import { inputOf, serviceFixtures } from '../../helpers/service-fixture.js';
import { copyOf, readConfig, writeConfig, type Config } from './configuration.js';
import type { ErrorClass } from './edit.js';

interface Base {
  readonly name: string;
  readonly config: Config;
  readonly input: Input;
  /** The number of times each message is reported for the base. */
  readonly counts: ReadonlyMap<string, number>;
}

/** The diagnostics of a mutant that its base does not have. */
export interface Mutant {
  /** The base and the index of the position. */
  readonly name: string;
  readonly text: string;
  readonly newDiagnostics: readonly Diagnostic[];
  /** False if the base already has the error. */
  readonly isChanged: boolean;
}

function baseOf(name: string, input: Input): Base {
  const config = readConfig(input.config.text);
  return { name, config, input, counts: countsOf(reported(input, config)) };
}

let fixtures: readonly Base[] | undefined;

/** Fixtures whose conditions already have errors. */
const mistaken = new Set(['decided']);

/** The fixture configurations for PostgreSQL, and those only for MariaDB. */
function fixtureBases(): readonly Base[] {
  const all = serviceFixtures();
  fixtures ??= all
    .filter(
      ({ name, database }) =>
        !mistaken.has(name) &&
        (database === 'postgresql' || !all.some((one) => one.name === name && one.database === 'postgresql')),
    )
    .map((fixture) => baseOf(fixture.name, inputOf(fixture)));
  return fixtures;
}

function basesOf({ name, own }: ErrorClass): readonly Base[] {
  if (own === undefined) return fixtureBases();
  const description = own.description;
  const source = description === undefined ? undefined : { path: 'openapi.yaml', text: description };
  return [
    baseOf(`own base of '${name}'`, {
      config: { path: 'config.yaml', text: own.config },
      ...(source && { description: { source, read: () => undefined } }),
    }),
  ];
}

function reported(input: Input, config: Config): readonly Diagnostic[] {
  return checkSource({ ...input, config: { ...input.config, text: writeConfig(config) } }).diagnostics;
}

function countsOf(diagnostics: readonly Diagnostic[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const diagnostic of diagnostics)
    counts.set(keyOf(diagnostic), (counts.get(keyOf(diagnostic)) ?? 0) + 1);
  return counts;
}

/** Identifies a diagnostic with its message, because a mutant may replace an error of its base by another one. */
function keyOf({ code, message }: Diagnostic): string {
  return `${code}: ${message}`;
}

/** All mutants of a class, or at most `max` of them, spread evenly over all positions. */
export function mutantsOf(one: ErrorClass, max: number): Mutant[] {
  const sites = basesOf(one).flatMap((base) => one.edits(copyOf(base.config)).map((_, at) => ({ base, at })));
  const step = max === Number.POSITIVE_INFINITY ? 1 : Math.max(1, sites.length / max);
  const chosen = Array.from({ length: Math.min(max, sites.length) }, (_, at) => sites[Math.floor(at * step)]);
  return chosen
    .flatMap((site) => (site === undefined ? [] : mutantAt(one, site.base, site.at)))
    .filter(({ isChanged }) => isChanged);
}

function mutantAt({ edits }: ErrorClass, base: Base, at: number): Mutant {
  const config = copyOf(base.config);
  edits(config)[at]?.();
  const left = new Map(base.counts);
  const newDiagnostics = reported(base.input, config).filter((diagnostic) => {
    const key = keyOf(diagnostic);
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  });
  const text = writeConfig(config);
  return { name: `${base.name} ${at}`, text, newDiagnostics, isChanged: text !== writeConfig(base.config) };
}
