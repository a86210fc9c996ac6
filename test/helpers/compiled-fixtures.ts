/**
 * The compiled service fixtures: compiled once in a test run for all test files that only read them, and cached for later runs until one of
 * their inputs changes.
 */
import { copied } from '../../compiler/notation/written.js';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inject } from 'vitest';
import { readAssets } from '../../compiler/generate/assets.js';
import { compile } from '../../compiler/compile.js';
import type { Diagnostic } from '../../compiler/read/diagnostics/diagnostic.js';
import type { GeneratedFile } from '../../compiler/generate/emit/module/file.js';
import { isArchive } from '../../compiler/generate/write/archive.js';
import { databasesOf, inputOf, repository, serviceFixtures, type ServiceFixture } from './service-fixture.js';

export interface CompiledFixture extends Compiled {
  readonly fixture: ServiceFixture;
}

/** A compiled fixture. */
export interface Compiled {
  /** Names of the fixture and its database. */
  readonly id: string;
  readonly diagnostics: readonly Pick<Diagnostic, 'code' | 'severity' | 'message'>[];
  /** Undefined if there are errors. */
  readonly files?: readonly GeneratedFile[] | undefined;
  /** Names of the templates used. */
  readonly templates: readonly string[];
}

export interface CompiledFixtures {
  readonly fixtures: readonly CompiledFixture[];
  /** The templates used by all fixtures together. */
  readonly templates: ReadonlySet<string>;
}

let sourcesOfProcess: string | undefined;

/**
 * Each selected fixture on each of its databases. Each process compiles fixtures that no other process has started, and then waits for the
 * remaining ones.
 */
export async function compiledFixtures(
  choose: (fixtures: readonly ServiceFixture[]) => readonly ServiceFixture[] = (fixtures) => fixtures,
): Promise<CompiledFixtures> {
  const folder = join(inject('sharedFolder'), 'fixtures');
  mkdirSync(folder, { recursive: true });
  const fixtures = choose(serviceFixtures());
  sourcesOfProcess ??= hashOf(compilerSources(repository));
  const sources = sourcesOfProcess;
  // One after the other, because a PostgreSQL instance with a schema needs time and memory.
  for (const fixture of fixtures) if (begins(folder, fixture)) await compileInto(folder, fixture, sources);
  const compiled: CompiledFixture[] = [];
  for (const fixture of fixtures) compiled.push({ ...(await writtenIn(folder, fixture)), fixture });
  return { fixtures: compiled, templates: new Set(compiled.flatMap(({ templates }) => templates)) };
}

/** Claims a fixture; false if another process has started compiling it. */
function begins(folder: string, fixture: ServiceFixture): boolean {
  const own = join(folder, idOf(fixture));
  try {
    mkdirSync(own);
    return true;
  } catch (error) {
    if (existsSync(own)) return false;
    throw error;
  }
}

/** Throws compiler errors, which are also stored for other processes. */
async function compileInto(folder: string, fixture: ServiceFixture, sources: string): Promise<void> {
  const path = join(folder, idOf(fixture));
  try {
    writeFileSync(`${path}.new`, JSON.stringify(await keptOrCompiled(fixture, sources)));
    renameSync(`${path}.new`, `${path}.json`);
  } catch (error) {
    writeFileSync(`${path}.failed`, error instanceof Error ? (error.stack ?? error.message) : String(error));
    throw error;
  }
}

async function writtenIn(folder: string, fixture: ServiceFixture): Promise<Compiled> {
  const path = join(folder, idOf(fixture));
  while (!existsSync(`${path}.json`)) {
    if (existsSync(`${path}.failed`)) throw new Error(readFileSync(`${path}.failed`, 'utf8'));
    await delay(100);
  }
  return withRuntime(JSON.parse(readFileSync(`${path}.json`, 'utf8')) as WrittenFixture);
}

function idOf({ name, database }: ServiceFixture): string {
  return `${name}-${database}`;
}

/** A compiled fixture on disk: without the runtime's tarball, which is the largest part and the same for all fixtures. */
interface WrittenFixture extends Omit<Compiled, 'files'> {
  readonly files?:
    readonly (Omit<GeneratedFile, 'text'> & { readonly text?: string | undefined })[] | undefined;
}

const assetsOfRun = readAssets(repository);

function withoutRuntime({ files, ...compiled }: Compiled): WrittenFixture {
  return {
    ...compiled,
    files: files?.map((file) => (isArchive(file.path) ? { ...file, text: undefined } : file)),
  };
}

function withRuntime({ files, ...compiled }: WrittenFixture): Compiled {
  return {
    ...compiled,
    files: files?.map((file) => ({ ...file, text: copied(file.text ?? assetsOfRun.runtime.bytes) })),
  };
}

/** A cached fixture, with the key of its inputs. */
interface Kept {
  readonly key: string;
  readonly compiled: WrittenFixture;
}

const keptFolder = join(repository, 'node_modules/.cache/apikiln/fixtures');

/** `sources`: the hash of all inputs outside the fixture. */
async function keptOrCompiled(fixture: ServiceFixture, sources: string): Promise<WrittenFixture> {
  const path = join(keptFolder, `${idOf(fixture)}.json`);
  const key = keyOf(fixture, sources);
  const kept = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Kept) : undefined;
  if (kept?.key === key) return kept.compiled;
  const written: Kept = { key, compiled: withoutRuntime(await compileFixture(fixture)) };
  mkdirSync(keptFolder, { recursive: true });
  // Another run may write the file at the same time.
  writeFileSync(`${path}.${process.pid}`, JSON.stringify(written));
  renameSync(`${path}.${process.pid}`, path);
  return written.compiled;
}

/** Compiles the fixture without the cache. */
export async function compileFixture(fixture: ServiceFixture): Promise<Compiled> {
  const templates = new Set<string>();
  const assets = {
    ...assetsOfRun,
    template: (name: string) => {
      templates.add(name);
      return assetsOfRun.template(name);
    },
  };
  const { diagnostics, files } = await compile(inputOf(fixture), assets, undefined, databasesOf(fixture));
  const reported = diagnostics.map(({ code, severity, message }) => ({ code, severity, message }));
  return { id: idOf(fixture), diagnostics: reported, files, templates: [...templates] };
}

/** The cache key, which changes with every input of the fixture. */
export function keyOf({ description, ...fixture }: ServiceFixture, sources: string): string {
  const beside = description && filesIn(join(repository, 'fixtures/services', fixture.name));
  return hashOf([sources, process.version, JSON.stringify(fixture), ...(beside ?? [])]);
}

/** Contents and paths of the compiler's sources and of the files that it copies into services, and the versions of all packages. */
export function compilerSources(root: string): string[] {
  const folders = ['compiler', 'runtime', 'templates', 'test/helpers'].map((name) => join(root, name));
  const files = ['package.json', 'package-lock.json'].map((name) => readFileSync(join(root, name), 'utf8'));
  return [...folders.flatMap(filesIn), ...files];
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .flatMap((path) => [path, readFileSync(path, 'latin1')]);
}

function hashOf(texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex');
}
