/** The versions of a service in `dev`: the current one, which handles requests, the next one, and those that are stopping. */
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Front } from '../../dev/front.js';
import { ServiceProcess, type NotStarted, type ProcessOptions } from '../../dev/service-process.js';
import type { ShownMail } from '../../../../runtime/trace/traced-smtp.js';
import type { LocalDatabase } from '../../local/local-database.js';
import { drainTimeLimit } from './dev-environment.js';
import type { DevFolder, WrittenVersion } from './dev-folder.js';

/** A version that responds to requests. */
interface Running {
  readonly process: ServiceProcess;
  readonly version: WrittenVersion;
  isReplaced: boolean;
}

export class DevVersions {
  /** Versions and databases that are stopping. */
  readonly #leaving = new Set<Promise<void>>();
  /** Databases that later versions do not use. */
  readonly outdated: LocalDatabase[] = [];
  #spare: { readonly base: string; readonly process: ServiceProcess } | undefined;
  #running: Running | undefined;
  /** A version that is not listening yet. */
  #starting: ServiceProcess | undefined;
  /** Whether new versions may no longer be started. */
  #isEnding = false;

  constructor(
    private readonly front: Front,
    private readonly folder: DevFolder,
    private readonly log: (line: string) => void,
    /** Receives the exit status of a version that ended by itself. */
    private readonly hasEnded: (status: number | null) => void,
    /** Receives the secrets of calls. */
    private readonly noteSecret: (secret: string) => void = () => undefined,
    /** Receives the mails of the versions. */
    private readonly noteMail: (mail: ShownMail) => void = () => undefined,
  ) {}

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Throws if the session has ended in the meantime. */
  checkEnding(): void {
    if (this.#isEnding) throw new Error('The session has ended.');
  }

  /** Starts a version and switches requests over to it. */
  async replace(version: WrittenVersion, environment: Readonly<Record<string, string>>): Promise<void> {
    const process = await this.#takeSpare(version);
    const { main, timers } = version;
    this.#starting = process;
    process.noteSecret = this.noteSecret;
    process.noteMail = this.noteMail;
    try {
      await process.start({ main, timers, environment, hosts: this.front.hosts }, (line) => {
        if (!isExpected(line)) this.log(line);
      });
    } finally {
      this.#starting = undefined;
      // The next process is prepared while no request is waiting.
      if (!this.#isEnding) this.#prepareSpare(version);
    }
    const before = this.#running;
    const running: Running = { process, version, isReplaced: false };
    this.#running = running;
    void process.ended.then((status) => {
      this.#ended(running, status);
    });
    const answered = this.front.use(process);
    const outdated = this.outdated.splice(0);
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
        this.folder.removeVersion(before.version);
      })(),
    );
  }

  /** Stops all versions after requests in flight have finished. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#starting?.kill();
    await this.#spare?.process.kill();
    if (this.#running !== undefined) {
      this.#running.isReplaced = true;
      await this.#running.process.stop();
    }
    await Promise.all(this.#leaving);
  }

  /** Kills the version that is starting, because nobody waits for it. */
  async giveUp(): Promise<void> {
    await this.#starting?.kill();
  }

  async #takeSpare({ base, process }: WrittenVersion): Promise<ServiceProcess> {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare?.base === base) return spare.process;
    await spare?.process.kill();
    this.checkEnding();
    return new ServiceProcess(process);
  }

  #prepareSpare({ base, process }: { readonly base: string; readonly process: ProcessOptions }): void {
    this.#spare = { base, process: new ServiceProcess(process) };
  }

  #ended(running: Running, status: number | null): void {
    if (running.isReplaced || running !== this.#running) return;
    this.#running = undefined;
    void this.front.use(undefined);
    this.hasEnded(status);
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

/** The lines that the service printed before it ended. If variables are missing, adds a hint that a file can define them. */
export function reasonsOf(error: NotStarted, config: string): readonly string[] {
  const lines = error.lines.filter((line) => !isExpected(line));
  if (lines.length === 0) return ['The service has ended at its start without a message.'];
  if (!lines.some((line) => / is not set[;:]/.test(line))) return lines;
  return [...lines, `Set the variables in ${join(dirname(config), '.env')}, or in the environment.`];
}

const expected = /settings\.debug is true: the test page shows/;

/** Whether the service prints this line at every start, so that it does not explain a failure. */
function isExpected(line: string): boolean {
  return expected.test(line);
}
