/** The service fixtures as the compiler gives them: compiled once in a process, for all test files that only read them. */
import { readAssets } from '../../compiler/assets.js';
import { compile, type Compilation } from '../../compiler/compile.js';
import { databasesOf, inputOf, repository, serviceFixtures, type ServiceFixture } from './service-fixture.js';

export interface CompiledFixture extends Compilation {
  /** Its name and its database. */
  readonly id: string;
  readonly fixture: ServiceFixture;
}

export interface CompiledFixtures {
  readonly fixtures: readonly CompiledFixture[];
  /** The templates that all of them together are made of. */
  readonly templates: ReadonlySet<string>;
}

let compiled: Promise<CompiledFixtures> | undefined;

/** Each fixture on each of its databases. */
export function compiledFixtures(): Promise<CompiledFixtures> {
  compiled ??= compileAll();
  return compiled;
}

async function compileAll(): Promise<CompiledFixtures> {
  const real = readAssets(repository);
  const templates = new Set<string>();
  const assets = {
    ...real,
    template: (name: string) => {
      templates.add(name);
      return real.template(name);
    },
  };
  const fixtures: CompiledFixture[] = [];
  // One after the other: a PostgreSQL that holds a schema takes its time and its memory.
  for (const fixture of serviceFixtures()) {
    const compilation = await compile(inputOf(fixture), assets, undefined, databasesOf(fixture));
    fixtures.push({ id: `${fixture.name}-${fixture.database}`, fixture, ...compilation });
  }
  return { fixtures, templates };
}
