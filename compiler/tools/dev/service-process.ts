/** Versions of a service as processes; the next process loads shared code in advance. */
import { listeningPort } from '../local/listening-port.js';
import { resolverArguments } from '../local/plug-and-play.js';
import { spawn, type ChildProcess } from 'node:child_process';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { askToStop } from '../../../runtime/server/stop-process.js';
import type { Trace } from '../../../runtime/trace/steps.js';
import type { ShownMail } from '../../../runtime/trace/traced-smtp.js';

export interface ProcessOptions {
  /** The program that loads `shared` and then waits for a version to run. */
  readonly host: string;
  /** Module URL. */
  readonly shared: string;
}

/** A version: the URL of its main module, and its settings. */
export interface Version {
  readonly main: string;
  /** URL of the module with the timers; undefined if there are no timers. */
  readonly timers?: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
  /** Matches the hosts that the port responds to, ignoring case. */
  readonly hosts: RegExp;
}

/** The result of a timed operation run from the page. */
export interface TimedRun {
  readonly succeeded: boolean;
  readonly trace: Trace;
}

/** Thrown if a service ended or did not listen in time; contains the lines that it printed. */
export class NotStarted extends Error {
  override readonly name = 'NotStarted';

  constructor(readonly lines: readonly string[]) {
    super('The service did not start.');
  }
}

/** Milliseconds for a version to start listening, and to stop. */
const startTimeLimit = 20_000;
const stopTimeLimit = 65_000;

/** A message of the process: a secret, a mail, or the response to a question. */
interface ChildMessage {
  readonly id?: number;
  readonly secret?: string;
  readonly mail?: ShownMail;
}

export class ServiceProcess {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  #url = '';
  #timers: string | undefined;
  #questions = 0;
  /** Receive the responses to questions, by their ids. */
  readonly #waiting = new Map<number, (message: unknown) => void>();
  #take = (line: string): void => {
    if (this.#lines.length < 50) this.#lines.push(line);
  };
  /** Receives the secrets of calls (random strings, passwords, hashes), which must not be recorded. */
  noteSecret: (secret: string) => void = () => undefined;
  /** Receives the mails of the service. */
  noteMail: (mail: ShownMail) => void = () => undefined;
  /** Resolves with the exit status, whatever ended the process; null if a signal did. */
  readonly ended: Promise<number | null>;

  constructor({ host, shared }: ProcessOptions) {
    const args = [...resolverArguments(dirname(fileURLToPath(shared))), host, shared];
    this.#child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Ctrl-C signals the whole process group, but this process must be stopped gracefully by its parent.
      detached: true,
      windowsHide: true,
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        this.#take(line);
      });
    }
    this.#child.on('message', (message: ChildMessage) => {
      if (message.secret !== undefined) this.noteSecret(message.secret);
      if (message.mail !== undefined) this.noteMail(message.mail);
      if (message.id !== undefined) this.#waiting.get(message.id)?.(message);
    });
    this.ended = new Promise((resolve) => {
      this.#child.once('error', () => {
        resolve(null);
      });
      this.#child.once('close', resolve);
    });
  }

  /** Such as `http://127.0.0.1:41234`; set after the start. */
  get url(): string {
    return this.#url;
  }

  /** Runs the version, and resolves when it listens and has loaded the user's pages; later output goes to `print`. Throws a NotStarted. */
  async start({ main, timers, environment, hosts }: Version, print: (line: string) => void): Promise<void> {
    this.#timers = timers;
    let timer: NodeJS.Timeout | undefined;
    const listening = new Promise<string>((resolve) => {
      const collect = this.#take;
      this.#take = (line) => {
        const port = listeningPort(line);
        if (port === undefined) collect(line);
        else resolve(`http://127.0.0.1:${port}`);
      };
    });
    // The first message reports loaded pages; later ones are about timers.
    const withPages = new Promise((resolve) => this.#child.once('message', resolve));
    let what = 'The service did not listen';
    const started = listening.then(async (url) => {
      what = 'src/app.ts was not loaded, with the files that it imports,';
      await withPages;
      return url;
    });
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => {
        this.#lines.push(`${what} within ${startTimeLimit / 1000} s.`);
        resolve(undefined);
      }, startTimeLimit);
    });
    this.#child.send({ main, environment, hosts: hosts.source }, () => undefined);
    const url = await Promise.race([started, late, this.ended.then(() => undefined)]);
    clearTimeout(timer);
    if (url === undefined) {
      await this.kill();
      throw new NotStarted(this.#lines);
    }
    this.#url = url;
    this.#lines.forEach(print);
    this.#take = print;
  }

  /** Stops the timers; the version still handles requests. */
  stopTimers(): void {
    this.#sendToTimers({});
  }

  /** Runs a timed operation immediately. Undefined if there are no timers, or if the process ended first. */
  async runTimer(operation: string): Promise<TimedRun | undefined> {
    if (this.#timers === undefined) return undefined;
    return this.#ask<TimedRun>((id) => {
      this.#sendToTimers({ run: { id, operation } });
    });
  }

  /** Why the credentials of a request were refused; undefined if they were not, or if the process ended first. */
  async refusalOf(requestId: string): Promise<string | undefined> {
    if (!this.#child.connected) return undefined;
    const found = await this.#ask<{ readonly refusal?: string }>((id) => {
      this.#child.send({ refused: { id, requestId } }, () => undefined);
    });
    return found?.refusal;
  }

  /** Sends a question with a new id. Resolves with the message of that id, or undefined if the process ended first. */
  #ask<Result>(send: (id: number) => void): Promise<Result | undefined> {
    this.#questions += 1;
    const id = this.#questions;
    const received = new Promise<Result>((resolve) => {
      this.#waiting.set(id, (message) => {
        resolve(message as Result);
      });
    });
    send(id);
    return Promise.race([received, this.ended.then(() => undefined)]).finally(() => this.#waiting.delete(id));
  }

  #sendToTimers(message: object): void {
    // The process may have ended by itself.
    if (this.#timers !== undefined && this.#child.connected)
      this.#child.send({ timers: this.#timers, ...message }, () => undefined);
  }

  /** Stops the process gracefully, or kills it after a time limit. */
  async stop(): Promise<void> {
    askToStop(this.#child);
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), stopTimeLimit);
    await this.ended;
    clearTimeout(timer);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}
