/** One run of `apikiln dev`: compiles, starts the new version, passes requests over to it, and waits for the next change. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import type { Assets } from '../assets.js';
import { readAssets } from '../assets.js';
import { compile, type Compilation } from '../compile.js';
import type { Datasource } from '../config/config-model.js';
import type { Front } from '../dev/front.js';
import { failureOf, problemsOf, type Problems } from '../dev/problems.js';
import { timedOperations, type TimedOperation } from '../dev/timed-operations.js';
import { NotStarted, ServiceProcess, type ProcessOptions } from '../dev/service-process.js';
import type { GeneratedFile } from '../emit/file.js';
import { OpenSchemas } from '../database/open-schemas.js';
import { CompilationCache } from '../emit/compilation-cache.js';
import { LocalDatabaseError, type LocalDatabase } from '../local/local-database.js';
import { DevDatabases } from './dev-databases.js';
import { drainTimeLimit, envText, readOptional, variables } from './dev-environment.js';
import { DevStubs } from './dev-stubs.js';
import { areSame, DevFolder, type OwnFiles, type WrittenVersion } from './dev-folder.js';
import { CommandError, exitStatus } from './exit-status.js';
import { findDatabases } from './find-schemas.js';
import { skipsFailing } from './local-databases.js';
import { ownFiles } from './own-files.js';
import { packageFolder } from './package-folder.js';
import {
  runCompilation,
  reportDiagnostics,
  reportUnchecked,
  type CompilationOptions,
} from './run-compilation.js';
import type { Terminal } from './terminal.js';
import { changed, stateOf, type FileStates } from './watched-files.js';

export interface DevOptions extends Omit<CompilationOptions, 'format'> {
  /** The folder that `build` writes to, for the owner's own files in it. */
  readonly out?: string;
  /** Record the responses of third parties as stubs. */
  readonly record?: boolean;
}

/** A version that responds to requests. */
interface Running {
  readonly process: ServiceProcess;
  readonly version: WrittenVersion;
  isReplaced: boolean;
}

/** What a version is made of. */
interface Made {
  readonly files: readonly GeneratedFile[];
  readonly rest: string;
}

/** What one look at all files has found. */
interface Compiled {
  readonly files: readonly GeneratedFile[];
  readonly datasources: readonly Datasource[];
  /** Operations with timers. */
  readonly timers: readonly TimedOperation[];
  /** Which SQL was not checked against a schema, as a sentence. */
  readonly unchecked: string | undefined;
  readonly note: (file: string) => void;
}

/** What the service prints at every start, and is not repeated here. */
const expected = /settings\.debug is true: the test page shows/;

export class DevSession {
  readonly #assets: Assets = readAssets(packageFolder());
  readonly #cache = new CompilationCache();
  readonly #schemas = new OpenSchemas();
  readonly #databases = new DevDatabases();
  readonly #stubs = new DevStubs(
    (line) => {
      this.terminal.log(line);
    },
    (path) => this.#states.set(path, stateOf(path)),
  );
  readonly #folder = new DevFolder(packageFolder(), this.#assets.template('dev/host.mjs'));
  /** Versions and databases that are being ended. */
  readonly #leaving = new Set<Promise<void>>();
  /** Databases that no later version uses. */
  readonly #outdated: LocalDatabase[] = [];
  #spare: { readonly base: string; readonly process: ServiceProcess } | undefined;
  #running: Running | undefined;
  /** A version that does not listen yet. */
  #starting: ServiceProcess | undefined;
  /** What the running version was made of. */
  #made: Made | undefined;
  /** Nothing is to be started any more. */
  #isEnding = false;
  /** Those of the files that the last look has read. */
  #states: FileStates = new Map();
  #isBrokenOff = false;
  /** Whether the last good version keeps running because of errors, which has been printed. */
  #isWrong = false;
  /** What has been printed about databases that were not asked. */
  #unchecked: string | undefined;

  /** `config` is the path of the configuration. */
  constructor(
    private readonly config: string,
    private readonly options: DevOptions,
    private readonly terminal: Terminal,
    private readonly front: Front,
  ) {}

  /** Whether the session ended while something was being made, which nothing but the end of the process keeps from going on. */
  get isBrokenOff(): boolean {
    return this.#isBrokenOff;
  }

  /** `started` is called once, after the first look at the files, with whether the service runs. Returns the exit status. */
  async run(stop: AbortSignal, started: (isRunning: boolean) => void): Promise<number> {
    let isFirst = true;
    while (!stop.aborted) {
      const states: FileStates = new Map();
      this.#states = states;
      const note = (file: string): void => {
        if (!states.has(file)) states.set(file, stateOf(file));
      };
      try {
        this.#isBrokenOff = !(await endsBefore(this.#renew(note), stop));
      } catch (error) {
        if (!(error instanceof CommandError) || isFirst || error.status === exitStatus.usage) throw error;
        this.#fail('The service was not renewed', [error.message]);
      }
      this.terminal.stage?.(undefined);
      if (this.#isBrokenOff) break;
      if (isFirst) {
        this.front.open();
        started(this.#running !== undefined);
      }
      isFirst = false;
      void this.#schemas.warm();
      const names = (await changed(states, stop)).map((file) => relative(this.terminal.folder, file));
      if (names.length > 0) this.terminal.log(`\n${names.join(', ')}: changed`);
    }
    return exitStatus.fine;
  }

  /** Ends everything, requests in flight first. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#starting?.kill();
    await this.#spare?.process.kill();
    if (this.#running !== undefined) {
      this.#running.isReplaced = true;
      await this.#running.process.stop();
    }
    await Promise.all(this.#leaving);
    // Databases that are being made would be waited for, and they end with this process.
    if (!this.#isBrokenOff) {
      await Promise.all(this.#outdated.map((database) => database.stop()));
      await this.#schemas.close();
      await this.#databases.stop();
    }
    await this.#stubs.stop();
    this.#folder.remove();
  }

  async #renew(note: (file: string) => void): Promise<void> {
    const start = performance.now();
    const compiled = await this.#compile(note);
    if (compiled === undefined) return;
    const described = compiled.files.find(({ path }) => path === 'src/api-description.ts')?.text ?? '';
    const description = createHash('sha256').update(described).digest('hex');
    const made = await this.#start(compiled);
    if (made === undefined) return;
    this.front.show(undefined, { description, timers: compiled.timers });
    const time = Math.round(performance.now() - start);
    const wasWrong = this.#isWrong;
    this.#isWrong = false;
    if (made === 'same')
      this.terminal.log(`${wasWrong ? 'The errors are fixed. ' : ''}Nothing has changed for the service.`);
    else this.terminal.log(`Ready in ${time} ms.${wasWrong ? ' The new version runs now.' : ''}`);
  }

  async #compile(note: (file: string) => void): Promise<Compiled | undefined> {
    let datasources: readonly Datasource[] = [];
    const { files, timed, diagnostics, status, unchecked } = await runCompilation<Compilation>(
      this.config,
      { ...this.options, format: 'text', openSchemas: this.#schemas },
      this.terminal,
      (input, databases) =>
        compile({ ...input, withTestPage: true, runsHere: true }, this.#assets, this.#cache, {
          ask: (found, questions) => {
            datasources = found;
            return databases.ask(found, questions);
          },
        }),
      note,
    );
    if (status === exitStatus.fine && files !== undefined)
      return { files, datasources, timers: timedOperations(timed), unchecked, note };
    const problems = problemsOf(diagnostics);
    this.#show(
      problems.problems.length > 0
        ? problems
        : failureOf('Too many warnings', ['There are too many warnings.']),
    );
    return undefined;
  }

  /** Undefined if it could not be started, which has been printed. */
  async #start({ files, datasources, unchecked, note }: Compiled): Promise<'new' | 'same' | undefined> {
    const config = resolve(this.terminal.folder, this.config);
    const dotenv = readOptional(join(dirname(config), '.env'), note);
    const environment = { ...parseEnv(dotenv), ...process.env };
    this.#goOn();
    this.terminal.stage?.('Starting databases');
    try {
      const found = await this.#databases.prepare(datasources, {
        ...{ config, folder: this.terminal.folder, environment, note },
        find: findDatabases(this.options, config, this.terminal.folder, note),
        skipsFailing: skipsFailing(this.options),
      });
      // The running version needs them until it is replaced.
      this.#outdated.push(...found.outdated);
      const stubs = await this.#stubs.prepare(datasources, {
        ...{ config, folder: this.terminal.folder, environment, note },
        record: this.options.record === true,
      });
      reportDiagnostics(stubs, { format: 'text' }, this.terminal);
      if (stubs.diagnostics.some(({ severity }) => severity === 'error')) {
        this.#show(problemsOf(stubs.diagnostics));
        return undefined;
      }
      this.#reportUnchecked(unchecked);
      for (const line of [...found.news, ...stubs.news]) this.terminal.log(line);
      const own = this.#ownFiles(config, files, note);
      const settings = { ...variables(), ...found.settings, ...stubs.settings };
      const made = { files, rest: JSON.stringify([own, dotenv, settings]) };
      if (this.#running !== undefined && isSame(made, this.#made)) return 'same';
      this.#goOn();
      this.terminal.stage?.('Starting the service');
      const version = await this.#folder.write(files, own, envText(files, dotenv));
      this.#goOn();
      await this.#replace(version, settings);
      this.#made = made;
      return 'new';
    } catch (error) {
      if (this.#isEnding) return undefined;
      if (error instanceof LocalDatabaseError) this.#fail('The database was not made', [error.message]);
      else if (error instanceof NotStarted) this.#fail('The service did not start', reasonsOf(error, config));
      else throw error;
      return undefined;
    }
  }

  /** Which SQL was not checked: once, and again when that has changed. */
  #reportUnchecked(unchecked: string | undefined): void {
    if (unchecked !== this.#unchecked)
      reportUnchecked(unchecked, { ...this.options, format: 'text' }, this.terminal);
    this.#unchecked = unchecked ?? this.#unchecked;
  }

  /** Those in the folder of the service, where one was built. */
  #ownFiles(config: string, files: readonly GeneratedFile[], note: (file: string) => void): OwnFiles {
    const { out } = this.options;
    const folder = out === undefined ? join(dirname(config), 'service') : resolve(this.terminal.folder, out);
    if (out === undefined && !existsSync(join(folder, '.apikiln.json')))
      return { folder: undefined, files: [] };
    for (const name of ['app.ts', 'middleware.ts']) note(join(folder, 'src', name));
    return { folder, files: ownFiles(folder, files, note) };
  }

  async #replace(version: WrittenVersion, environment: Readonly<Record<string, string>>): Promise<void> {
    const process = await this.#takeSpare(version);
    this.#starting = process;
    try {
      await process.start({ main: version.main, timers: version.timers, environment }, (line) => {
        if (!expected.test(line)) this.terminal.log(line);
      });
    } finally {
      this.#starting = undefined;
      // The next one is prepared while no request waits.
      if (!this.#isEnding) this.#prepareSpare(version);
    }
    const before = this.#running;
    const running: Running = { process, version, isReplaced: false };
    this.#running = running;
    void process.ended.then((status) => {
      this.#ended(running, status);
    });
    const answered = this.front.use(process);
    const outdated = this.#outdated.splice(0);
    if (before === undefined) {
      this.#leave(Promise.all(outdated.map((database) => database.stop())));
      return;
    }
    before.isReplaced = true;
    before.process.stopTimers();
    this.#leave(
      (async () => {
        await Promise.race([answered, pause(drainTimeLimit, undefined, { ref: false })]);
        await before.process.stop();
        await Promise.all(outdated.map((database) => database.stop()));
        this.#folder.removeVersion(before.version);
      })(),
    );
  }

  /** Throws where the session has been ended meanwhile. */
  #goOn(): void {
    if (this.#isEnding) throw new Error('The session has ended.');
  }

  async #takeSpare({ base, process }: WrittenVersion): Promise<ServiceProcess> {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare?.base === base) return spare.process;
    await spare?.process.kill();
    this.#goOn();
    return new ServiceProcess(process);
  }

  #prepareSpare({ base, process }: { readonly base: string; readonly process: ProcessOptions }): void {
    this.#spare = { base, process: new ServiceProcess(process) };
  }

  #ended(running: Running, status: number | null): void {
    if (running.isReplaced || running !== this.#running) return;
    this.#running = undefined;
    this.#made = undefined;
    void this.front.use(undefined);
    this.#fail('The service has ended', [
      `The service has ended with status ${String(status)}. Save a file to start it again.`,
    ]);
  }

  #fail(title: string, lines: readonly string[]): void {
    this.terminal.log(lines.join('\n'));
    this.#show(failureOf(title, lines));
  }

  #show(problems: Problems): void {
    this.front.show(problems);
    if (this.#running === undefined) return;
    this.#isWrong = true;
    this.terminal.log(problems.note);
  }

  #leave(work: Promise<unknown>): void {
    const leaving = work.then(
      () => undefined,
      () => undefined,
    );
    this.#leaving.add(leaving);
    void leaving.then(() => this.#leaving.delete(leaving));
  }
}

/** What it printed. Variables that are missing can be in a file. */
function reasonsOf(error: NotStarted, config: string): readonly string[] {
  const lines = error.lines.filter((line) => !expected.test(line));
  if (lines.length === 0) return ['The service has ended at its start without a message.'];
  if (!lines.some((line) => / is not set[;:]/.test(line))) return lines;
  return [...lines, `Set the variables in ${join(dirname(config), '.env')}, or in the environment.`];
}

/** False if `stop` is first; the outcome of the work does not matter then. */
async function endsBefore(work: Promise<void>, stop: AbortSignal): Promise<boolean> {
  const controller = new AbortController();
  const stopped = new Promise<false>((resolve) => {
    const resolveFalse = (): void => {
      resolve(false);
    };
    if (stop.aborted) resolveFalse();
    stop.addEventListener('abort', resolveFalse, { signal: controller.signal });
  });
  try {
    return await Promise.race([work.then(() => true), stopped]);
  } finally {
    controller.abort();
    work.catch(() => undefined);
  }
}

function isSame({ files, rest }: Made, before: Made | undefined): boolean {
  return before?.rest === rest && areSame(files, before.files);
}
