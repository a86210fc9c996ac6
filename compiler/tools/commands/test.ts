/** `apikiln test`: runs the tests of a configuration against the compiled service. */
import { xml } from '../../notation/markup-writer.js';
import { json } from '../../notation/json-writer.js';
import { joined } from '../../notation/written.js';
import { screen } from '../../notation/screen-writer.js';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { readAssets } from '../../generate/assets.js';
import { compile, type Compilation } from '../../compile.js';
import { DatabaseError } from '../../analyze/database/server.js';
import { CompilationCache } from '../../generate/emit/compilation-cache.js';
import { LocalDatabaseError, type LocalDatabase } from '../local/local-database.js';
import { ServiceEnded } from '../local/local-service.js';
import type { Source } from '../../read/source.js';
import { printJunit } from '../testing/print/print-junit.js';
import { resultLines, totalLine } from '../testing/print/print-results.js';
import { readTests } from '../testing/read/read-tests.js';
import { jsonOfResults } from '../testing/print/results-json.js';
import { runTests, type Results } from '../testing/run-tests.js';
import type { TestFile } from '../testing/read/test-model.js';
import type { BesideTests } from '../testing/read/test-scope.js';
import { variablesIn } from '../typescript/read-variables.js';
import { type NoteFile, readText } from './shared/files/read-text.js';
import { CommandError, exitStatus } from './shared/output/exit-status.js';
import { findTests } from './shared/files/find-tests.js';
import { planDatabases, type PlannedDatabase } from './shared/databases/local-databases.js';
import { ofLocalDatabase, temporaryDescriptions } from './shared/databases/temporary-descriptions.js';
import { fileInside, isSameFile } from './shared/files/file-inside.js';
import { refuseBrokenCode } from './shared/owner/broken-code.js';
import { findOwnFiles } from './shared/owner/own-files.js';
import { packageFolder } from './shared/files/package-folder.js';
import {
  findConfig,
  runCompilation,
  reportDiagnostics,
  type CompilationOptions,
} from './shared/run-compilation.js';
import { removeServeFolder, writeServeFolder } from './shared/folder/serve-folder.js';
import { severitiesOf } from './shared/severity-options.js';
import type { Terminal } from './shared/output/terminal.js';
import { repeatOnChanges } from './shared/repeat-on-changes.js';
import { reportCoverage, type CoverageOptions } from './test-coverage.js';
import { updateTests, writeOutput } from './test-update.js';
import { ofDatabase } from './shared/files/find-schemas.js';

export interface TestOptions extends Omit<CompilationOptions, 'format' | 'target'>, CoverageOptions {
  readonly format: 'text' | 'json' | 'junit';
  readonly tests?: readonly string[];
  readonly filter?: string;
  readonly update?: boolean;
  readonly watch?: boolean;
  /** JUnit XML file to write, in addition to the printed results. */
  readonly junit?: string;
  /** The folder of a built service, whose user pages and middleware are included. */
  readonly out?: string;
  readonly workers?: number;
}

/** State shared by consecutive runs of `--watch`. */
export interface TestRuns {
  readonly cache: CompilationCache;
  /** Receives the files that a run depends on. */
  readonly note: NoteFile;
  /** Whether to stop starting tests. */
  readonly isStopped: () => boolean;
}

export async function test(
  path: string | undefined,
  options: TestOptions,
  terminal: Terminal,
  { cache, note = () => undefined, isStopped }: Partial<TestRuns> = {},
): Promise<number> {
  if (path !== undefined && /(?:^|[./\\])tests?\.ya?ml$/.test(path))
    throw new CommandError(
      exitStatus.usage,
      `${path} holds tests: name the configuration, and the tests with --tests ${path}`,
    );
  const start = performance.now();
  // The named server only provides temporary databases; statements are checked against the schema.
  const { database = [], ...others } = options;
  const compiled = await runCompilation(
    path,
    { ...others, format: 'text', quiet: options.quiet === true || options.format !== 'text' },
    terminal,
    (input, databases) => {
      const beside = { config: resolve(terminal.folder, input.config.path), folder: terminal.folder, note };
      const asked =
        database.length === 0
          ? databases
          : temporaryDescriptions({ ...others, database }, beside, terminal.stage);
      return compile({ ...input, forTests: true }, readAssets(packageFolder()), cache, asked);
    },
    note,
  );
  const { status, config, files, plan } = compiled;
  if (status !== exitStatus.fine || files === undefined || config === undefined || plan === undefined)
    return status;
  const place = { config: resolve(terminal.folder, compiled.path), folder: terminal.folder, note };
  const sources = findTests(options.tests, place);
  const own = findOwnFiles(options.out, files, place);
  refuseBrokenCode(own, terminal.folder);
  const hasOwnPages = own.files.length > 0;
  const read = (some: readonly Source[]): TestFile[] | undefined =>
    readAll(
      some,
      compiled,
      {
        hasOwnPages,
        severities: severitiesOf(options),
        variables: variablesIn(own.files),
        problemOfFile: (name, beside) =>
          testFile(resolve(terminal.folder, beside), name, place.config).problem,
      },
      options,
      terminal,
    );
  const tests = read(sources);
  if (tests === undefined) return exitStatus.errors;
  const wanted = withName(tests, options.filter);
  const planned = planDatabases(config, { ...others, schema: options.schema ?? [], database }, place);
  const folder = await writeServeFolder(files, packageFolder(), own);
  const remove = (): void => {
    removeServeFolder(folder);
  };
  process.once('exit', remove);
  try {
    const run = (some: readonly TestFile[]): Promise<Results> => {
      let count = 0;
      const total = some.flatMap(({ tests }) => tests).length;
      terminal.stage?.('Starting databases and services');
      return running(() =>
        runTests(some, {
          config,
          endpoints: compiled.endpoints,
          folder,
          workers: options.workers ?? availableParallelism(),
          startDatabases: () => startAll(planned),
          readFile: (name, beside) => {
            const { real, problem } = testFile(resolve(terminal.folder, beside), name, place.config);
            if (real === undefined) throw new Error(`the file '${name}' ${problem ?? ''}`);
            return readFileSync(real);
          },
          ...(isStopped && { isStopped }),
          log: (result) => {
            count += 1;
            terminal.stage?.(`Running tests: ${count} of ${total}`);
            if (options.format === 'text' && (options.quiet !== true || result.failures.length > 0))
              terminal.print(joined(resultLines(result, terminal.colours), '\n'));
          },
        }),
      );
    };
    let results = await run(wanted);
    if (options.update === true && isStopped?.() !== true) {
      const readAgain = (source: Source): TestFile | undefined => {
        const [file] = read([source]) ?? [];
        return file && withName([file], options.filter)[0];
      };
      results = await updateTests(results, { read: readAgain, run }, terminal);
    }
    if (isStopped?.() === true) {
      terminal.log(screen`Stopped.`);
      return exitStatus.errors;
    }
    return report(results, compiled, options, terminal, performance.now() - start);
  } finally {
    process.off('exit', remove);
    remove();
  }
}

/** The real path of a file named in the test file `beside`, or the reason why the file is not read. */
function testFile(
  beside: string,
  name: string,
  config: string,
): { readonly real?: string; readonly problem?: string } {
  const folder = dirname(beside);
  const path = join(folder, name);
  if (!existsSync(path)) return { problem: 'does not exist' };
  const found = fileInside(path, folder, 'the folder of the test file');
  if ('problem' in found) return { problem: found.problem };
  if (!found.stats.isFile()) return { problem: 'is not a file' };
  return isSameFile(config, found.real)
    ? { problem: 'is the configuration, which may contain passwords' }
    : { real: found.real };
}

/** Runs the tests, and again whenever a file that they depend on changes. Runs until `stop`; only incorrect use ends it immediately. */
export async function watchTests(
  path: string | undefined,
  options: TestOptions,
  terminal: Terminal,
  stop: AbortSignal,
): Promise<number> {
  const cache = new CompilationCache();
  // Without a configuration there are no files to watch.
  const config = findConfig(path, terminal.folder);
  readText(resolve(terminal.folder, config), config);
  return repeatOnChanges(
    {
      run: (note) => test(config, options, terminal, { cache, note, isStopped: () => stop.aborted }),
      format: 'text',
      isQuiet: options.quiet === true,
    },
    terminal,
    stop,
  );
}

/** The tests of all files; undefined if a file has an error, which is printed. */
function readAll(
  sources: readonly Source[],
  { config, thirdParties }: Compilation,
  beside: BesideTests,
  { quiet = false, format }: Pick<TestOptions, 'quiet' | 'format'>,
  terminal: Terminal,
): TestFile[] | undefined {
  if (config === undefined) return undefined;
  const read = sources.map((source) => readTests(source, config, { ...beside, thirdParties }));
  const diagnostics = read.flatMap((one) => one.diagnostics);
  reportDiagnostics({ diagnostics }, { format: 'text', quiet: quiet || format !== 'text' }, terminal);
  if (diagnostics.some(({ severity }) => severity === 'error')) return undefined;
  return read.flatMap(({ file }) => file ?? []);
}

function withName(files: readonly TestFile[], filter: string | undefined): readonly TestFile[] {
  if (filter === undefined) return files;
  const text = filter.toLowerCase();
  const wanted = files.map((file) => ({
    ...file,
    tests: file.tests.filter(({ name }) => name.value.toLowerCase().includes(text)),
  }));
  if (wanted.every(({ tests }) => tests.length === 0))
    throw new CommandError(exitStatus.usage, `No test has '${filter}' in its name.`);
  return wanted;
}

/**
 * Databases by datasource name. If one does not start, the others are stopped, because an embedded database would keep the process alive.
 */
async function startAll(planned: readonly PlannedDatabase[]): Promise<Map<string, LocalDatabase>> {
  const outcomes = await Promise.allSettled(planned.map((database) => database.start()));
  const started = new Map<string, LocalDatabase>();
  for (const [index, outcome] of outcomes.entries())
    if (outcome.status === 'fulfilled')
      for (const name of planned[index]?.names ?? []) started.set(name, outcome.value);
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure === undefined) return started;
  await Promise.all([...new Set(started.values())].map((database) => database.stop()));
  throw failure.reason;
}

/** Converts startup failures of databases and services to command errors with exit statuses. */
async function running(run: () => Promise<Results>): Promise<Results> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof LocalDatabaseError) throw ofLocalDatabase(error);
    if (error instanceof DatabaseError) throw ofDatabase(error);
    if (error instanceof ServiceEnded)
      throw new CommandError(
        exitStatus.environment,
        `The service does not start:\n${error.output.slice(0, 20).join('\n')}\nIt does not see the environment of this command: write variables that user code reads as process.env.NAME under 'environment' in the test file.`,
      );
    throw error;
  }
}

function report(
  { results, counts }: Results,
  compiled: Compilation,
  options: TestOptions,
  terminal: Terminal,
  milliseconds: number,
): number {
  const hasFailed = results.some(({ failures }) => failures.length > 0);
  const coverage = reportCoverage(compiled, counts, options, terminal);
  if (options.junit !== undefined) writeOutput(options.junit, xml`${printJunit(results)}\n`, terminal);
  switch (options.format) {
    case 'junit':
      terminal.print(screen.document(printJunit(results)));
      break;
    case 'json':
      terminal.print(
        screen.document(
          json.value({ tests: jsonOfResults(results), ...(coverage && { coverage: coverage.summary }) }, 2),
        ),
      );
      break;
    case 'text':
      if (coverage !== undefined) terminal.print(coverage.text);
      terminal.print(totalLine(results, milliseconds, terminal.colours));
  }
  if (coverage?.isBelowThreshold === true) {
    terminal.log(
      screen`The coverage is ${coverage.percent} %; --coverage-threshold asks for ${options.coverageThreshold ?? 0} %.`,
    );
    return exitStatus.errors;
  }
  return hasFailed ? exitStatus.errors : exitStatus.fine;
}
