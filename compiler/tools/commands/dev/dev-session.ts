/** One run of `apikiln dev`: compiles, starts the new version, switches requests over to it, and waits for the next change. */
import { screen } from '../../../notation/screen-writer.js';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { originsIn } from '../../../../runtime/http/page-origin.js';
import { readAssets, type Assets } from '../../../generate/assets.js';
import { OpenSchemas } from '../../../analyze/database/open-schemas.js';
import {
  DevCredentials,
  type CredentialsAnswer,
  type CredentialsQuestion,
} from '../../dev/dev-credentials.js';
import type { Front } from '../../dev/front.js';
import { mailLines } from '../../dev/mail-lines.js';
import { PageLogin } from '../../dev/page-login.js';
import { failureOf, problemsOf, type Problems } from '../../dev/problems.js';
import { keyParameters } from '../../../read/config/key-parameters.js';
import { NotStarted } from '../../dev/service-process.js';
import { CompilationCache } from '../../../generate/emit/compilation-cache.js';
import type { GeneratedFile } from '../../../generate/emit/module/file.js';
import { LocalDatabaseError } from '../../local/local-database.js';
import { compileVersion, type Compiled } from './dev-compilation.js';
import type { TestCaller } from '../../testing/test-callers.js';
import { DevDatabases } from './dev-databases.js';
import { isOfOtherUser } from './connection-owner.js';
import { callersBeside, curlOfPage } from './dev-login.js';
import { envText, readOptional, resolved, variables } from './dev-environment.js';
import { areSame, DevFolder } from './dev-folder.js';
import { DevStubs } from './dev-stubs.js';
import { DevVersions, reasonsOf } from './dev-versions.js';
import { BrokenCode, refuseBrokenCode } from '../shared/owner/broken-code.js';
import { CommandError, exitStatus } from '../shared/output/exit-status.js';
import { findDatabases } from '../shared/files/find-schemas.js';
import { skipsFailing } from '../shared/databases/local-databases.js';
import { findOwnFiles } from '../shared/owner/own-files.js';
import { packageFolder } from '../shared/files/package-folder.js';
import { reportDiagnostics, reportUnchecked, type CompilationOptions } from '../shared/run-compilation.js';
import { severitiesOf } from '../shared/severity-options.js';
import type { Terminal } from '../shared/output/terminal.js';
import { endsBefore } from '../shared/signals.js';
import { changed, changedLine, stateOf, type FileStates } from '../shared/files/watched-files.js';

export interface DevOptions extends Omit<CompilationOptions, 'format'> {
  /** The folder that `build` writes to, with the user's files. */
  readonly out?: string;
  /** Whether to record third-party responses as stubs. */
  readonly record?: boolean;
}

export interface DevEvents {
  /** Called before each look at the files. */
  readonly begins: () => Promise<void>;
  /** Called once, after the first look at the files, with whether the service runs. */
  readonly started: (isRunning: boolean) => void;
}

/** The files of a version, and everything else that it depends on. */
interface Made {
  readonly files: readonly GeneratedFile[];
  readonly rest: string;
}

export class DevSession {
  readonly #assets: Assets = readAssets(packageFolder());
  readonly #cache = new CompilationCache();
  readonly #schemas = new OpenSchemas();
  readonly #databases = new DevDatabases();
  readonly #stubs = new DevStubs(
    (line) => {
      this.terminal.log(screen.lines(line));
    },
    (path) => this.#states.set(path, stateOf(path)),
  );
  readonly #folder = new DevFolder(packageFolder(), this.#assets.template('dev/host.mjs'));
  readonly #versions: DevVersions;
  readonly #credentials: DevCredentials;
  /** The files and inputs of the running version. */
  #made: Made | undefined;
  /** States of the files read by the last compilation. */
  #states: FileStates = new Map();
  #isBrokenOff = false;
  /** Whether the last good version keeps running because of errors; this has already been reported. */
  #isWrong = false;
  /** The last line printed about unchecked databases. */
  #unchecked: string | undefined;

  /** `config` is the path of the configuration, `url` the address of the front. */
  constructor(
    private readonly config: string,
    private readonly options: DevOptions,
    private readonly terminal: Terminal,
    private readonly front: Front,
    url: string,
  ) {
    const log = (line: string): void => {
      terminal.log(screen.lines(line));
    };
    this.#credentials = new DevCredentials(url, log);
    front.login = new PageLogin({
      makers: () => this.#credentials.makers,
      tests: () => this.#callers(),
      curl: curlOfPage,
      isOfOtherUser,
    });
    const hasEnded = (status: number | null): void => {
      this.#made = undefined;
      this.#fail('The service has ended', [
        `The service has ended with status ${String(status)}. Save a file to start it again.`,
      ]);
    };
    const noteSecret = (secret: string): void => {
      this.#stubs.hide(secret);
    };
    this.#versions = new DevVersions(front, this.#folder, log, hasEnded, noteSecret, (mail) => {
      for (const line of mailLines(mail, terminal.colours)) terminal.log(line);
    });
  }

  /** Whether the session ended during work that only the end of the process can stop. */
  get isBrokenOff(): boolean {
    return this.#isBrokenOff;
  }

  /** Credentials that the running version accepts. Throws a NoCredentials; undefined before the first version runs. */
  credentials(question: CredentialsQuestion): Promise<CredentialsAnswer | undefined> {
    return this.#credentials.answer(question);
  }

  /** Returns the exit status. */
  async run(stop: AbortSignal, { begins, started }: DevEvents): Promise<number> {
    let isFirst = true;
    while (!stop.aborted) {
      await begins();
      const states: FileStates = new Map();
      this.#states = states;
      const note = (file: string): void => {
        if (!states.has(file)) states.set(file, stateOf(file));
      };
      try {
        this.#isBrokenOff = !(await endsBefore(this.#renew(note), stop));
      } catch (error) {
        if (!(error instanceof CommandError) || isFirst || error.status === exitStatus.usage) throw error;
        this.#fail('The service was not replaced', [error.message]);
      }
      this.terminal.stage?.(undefined);
      if (this.#isBrokenOff) break;
      if (isFirst) {
        this.front.open();
        started(this.#versions.isRunning);
      }
      isFirst = false;
      void this.#schemas.warm();
      const files = await changed(states, stop);
      if (files.length > 0)
        this.terminal.log(screen`\n${screen.text(changedLine(files, this.terminal.folder))}`);
    }
    return exitStatus.fine;
  }

  /** Stops everything after requests in flight have finished. */
  async end(): Promise<void> {
    await this.#versions.end();
    // Databases that are still starting would have to be waited for; they end with this process.
    if (!this.#isBrokenOff) {
      await Promise.all(this.#versions.outdated.map((database) => database.stop()));
      await this.#schemas.close();
      await this.#databases.stop();
    }
    await this.#stubs.stop();
    await this.#credentials.stop();
    this.#folder.remove();
  }

  async #renew(note: (file: string) => void): Promise<void> {
    const start = performance.now();
    const { config, options, terminal } = this;
    const context = {
      config,
      options,
      terminal,
      assets: this.#assets,
      cache: this.#cache,
      schemas: this.#schemas,
    };
    const compiled = await compileVersion(context, note);
    if ('problems' in compiled) {
      this.#show(compiled.problems);
      return;
    }
    const made = await this.#start(compiled, note);
    if (made === undefined) return;
    this.front.show(undefined, compiled);
    const time = Math.round(performance.now() - start);
    const wasWrong = this.#isWrong;
    this.#isWrong = false;
    if (made === 'same')
      this.terminal.log(
        screen`${screen.text(wasWrong ? 'The errors are fixed. ' : '')}Nothing has changed for the service.`,
      );
    else
      this.terminal.log(
        screen`Ready in ${time} ms.${screen.text(wasWrong ? ' The new version runs now.' : '')}`,
      );
  }

  /** Undefined if the version could not be started; the reason has been printed. */
  async #start(
    { files, config: compiled, unchecked, thirdParties }: Compiled,
    note: (file: string) => void,
  ): Promise<'new' | 'same' | undefined> {
    const config = resolve(this.terminal.folder, this.config);
    const place = { config, folder: this.terminal.folder, note };
    const dotenv = readOptional(join(dirname(config), '.env'), note);
    const environment = { ...parseEnv(dotenv), ...process.env };
    this.#versions.checkEnding();
    this.terminal.stage?.('Starting databases');
    try {
      const found = await this.#databases.prepare(compiled.datasources, {
        ...place,
        environment,
        find: findDatabases(this.options, place),
        skipsFailing: skipsFailing(this.options),
      });
      // The running version needs these databases until it is replaced.
      this.#versions.outdated.push(...found.outdated);
      const stubs = await this.#stubs.prepare(compiled, {
        ...place,
        environment,
        record: this.options.record === true,
        ...{ thirdParties, severities: severitiesOf(this.options) },
      });
      reportDiagnostics(stubs, { format: 'text' }, this.terminal);
      if (stubs.diagnostics.some(({ severity }) => severity === 'error')) {
        this.#show(problemsOf(stubs.diagnostics));
        return undefined;
      }
      this.#reportUnchecked(unchecked);
      const env = envText(files, dotenv);
      const credentials = await this.#credentials.prepare(compiled, {
        environment: process.env,
        dotenv,
        envText: env,
      });
      for (const line of [...found.news, ...stubs.news, ...credentials.news])
        this.terminal.log(screen.lines(line));
      const own = findOwnFiles(this.options.out, files, place);
      refuseBrokenCode(own, this.terminal.folder);
      const settings = {
        ...variables(),
        ...found.settings,
        ...stubs.settings,
        ...credentials.settings,
      };
      const made = { files, rest: JSON.stringify([own, dotenv, settings]) };
      if (this.#versions.isRunning && isSame(made, this.#made)) {
        this.#credentials.use(credentials);
        return 'same';
      }
      this.#versions.checkEnding();
      this.terminal.stage?.('Starting the service');
      const version = await this.#folder.write(files, own, env);
      this.#versions.checkEnding();
      this.front.origins = new Set(originsIn(resolved(environment, 'CORS_ORIGIN')));
      this.front.hidden = keyParameters(compiled);
      await this.#replace(version, settings);
      this.#credentials.use(credentials);
      this.#made = made;
      return 'new';
    } catch (error) {
      if (this.#versions.isEnding || error instanceof Outdated) return undefined;
      if (error instanceof BrokenCode) this.#fail('Own code cannot be read', error.lines);
      else if (error instanceof LocalDatabaseError) this.#fail('The database was not made', [error.message]);
      else if (error instanceof NotStarted) this.#fail('The service did not start', reasonsOf(error, config));
      else throw error;
      return undefined;
    }
  }

  /** Throws an Outdated if a file changes before the version has started. The first version is always awaited. */
  async #replace(...version: Parameters<DevVersions['replace']>): Promise<void> {
    if (!this.#versions.isRunning) return this.#versions.replace(...version);
    const replaced = new AbortController();
    const outdated = changed(this.#states, replaced.signal).then((files) => {
      if (files.length > 0) throw new Outdated();
    });
    try {
      await Promise.race([this.#versions.replace(...version), outdated.then(never)]);
    } catch (error) {
      if (error instanceof Outdated) await this.#versions.giveUp();
      throw error;
    } finally {
      replaced.abort();
    }
  }

  /** Reports SQL that was not checked: once, and again after changes. */
  #reportUnchecked(unchecked: string | undefined): void {
    if (unchecked !== this.#unchecked)
      reportUnchecked(unchecked, { ...this.options, format: 'text' }, this.terminal);
    this.#unchecked = unchecked ?? this.#unchecked;
  }

  #callers(): readonly TestCaller[] {
    const config = resolve(this.terminal.folder, this.config);
    const read = this.#credentials.config;
    return read === undefined ? [] : callersBeside(read, { config, folder: this.terminal.folder });
  }

  #fail(title: string, lines: readonly string[]): void {
    this.terminal.log(screen.lines(lines.join('\n')));
    this.#show(failureOf(title, lines));
  }

  #show(problems: Problems): void {
    this.front.show(problems);
    if (!this.#versions.isRunning) return;
    this.#isWrong = true;
    this.terminal.log(screen.text(problems.note));
  }
}

/** Thrown if a file changed while a version was starting. */
class Outdated extends Error {}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

function isSame({ files, rest }: Made, before: Made | undefined): boolean {
  return before?.rest === rest && areSame(files, before.files);
}
