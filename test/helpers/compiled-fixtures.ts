/** The service fixtures as the compiler makes them: compiled once in a test run, for all test files that only read them. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inject } from 'vitest';
import { readAssets } from '../../compiler/generate/assets.js';
import { compile } from '../../compiler/compile.js';
import type { Diagnostic } from '../../compiler/read/diagnostics/diagnostic.js';
import type { GeneratedFile } from '../../compiler/generate/emit/module/file.js';
import { databasesOf, inputOf, repository, serviceFixtures, type ServiceFixture } from './service-fixture.js';

export interface CompiledFixture extends Compiled {
  readonly fixture: ServiceFixture;
}

/** A compiled fixture as one process writes it for the others. */
interface Compiled {
  /** Its name and its database. */
  readonly id: string;
  readonly diagnostics: readonly Pick<Diagnostic, 'code' | 'severity' | 'message'>[];
  /** Undefined when there are errors. */
  readonly files?: readonly GeneratedFile[] | undefined;
}

export interface CompiledFixtures {
  readonly fixtures: readonly CompiledFixture[];
  /** The templates that all of them together are made of. */
  readonly templates: ReadonlySet<string>;
}

interface Written {
  readonly compiled: readonly Compiled[];
  readonly templates: readonly string[];
}

let fixturesOfProcess: Promise<CompiledFixtures> | undefined;

/** Each fixture on each of its databases. */
export function compiledFixtures(): Promise<CompiledFixtures> {
  fixturesOfProcess ??= fixturesOfRun();
  return fixturesOfProcess;
}

/** The first process that asks compiles them; the others wait for what it writes. */
async function fixturesOfRun(): Promise<CompiledFixtures> {
  const folder = inject('sharedFolder');
  const path = join(folder, 'fixtures.json');
  const failed = join(folder, 'fixtures.failed');
  let isFirst = true;
  try {
    mkdirSync(join(folder, 'fixtures'));
  } catch {
    isFirst = false;
  }
  if (isFirst) {
    try {
      writeFileSync(`${path}.new`, JSON.stringify(await compileAll()));
      renameSync(`${path}.new`, path);
    } catch (error) {
      writeFileSync(failed, error instanceof Error ? (error.stack ?? error.message) : String(error));
      throw error;
    }
  }
  while (!existsSync(path)) {
    if (existsSync(failed)) throw new Error(readFileSync(failed, 'utf8'));
    await delay(100);
  }
  const { compiled, templates } = JSON.parse(readFileSync(path, 'utf8')) as Written;
  const fixtures = new Map(serviceFixtures().map((fixture) => [idOf(fixture), fixture]));
  return {
    fixtures: compiled.map((one) => {
      const fixture = fixtures.get(one.id);
      if (fixture === undefined) throw new Error(`There is no fixture ${one.id}.`);
      return { ...one, fixture };
    }),
    templates: new Set(templates),
  };
}

function idOf({ name, database }: ServiceFixture): string {
  return `${name}-${database}`;
}

async function compileAll(): Promise<Written> {
  const real = readAssets(repository);
  const templates = new Set<string>();
  const assets = {
    ...real,
    template: (name: string) => {
      templates.add(name);
      return real.template(name);
    },
  };
  const compiled: Compiled[] = [];
  // One after the other: a PostgreSQL that holds a schema takes its time and its memory.
  for (const fixture of serviceFixtures()) {
    const { diagnostics, files } = await compile(inputOf(fixture), assets, undefined, databasesOf(fixture));
    const reported = diagnostics.map(({ code, severity, message }) => ({ code, severity, message }));
    compiled.push({ id: idOf(fixture), diagnostics: reported, files });
  }
  return { compiled, templates: [...templates] };
}
