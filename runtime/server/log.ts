/**
 * The log: one line of JSON for each event, or text (LOG_FORMAT=text). It never prints error messages that may contain data, hosts or
 * secrets.
 */
import { write, writeSync } from 'node:fs';
import { textOf, type Json, type JsonObject } from '../handler/json.js';
import { errorCode, ServiceError } from '../handler/reply.js';
import { pino, type Logger } from 'pino';

/** The loggable part of an error. */
export interface ErrorDescription {
  readonly type: string;
  /** `code`, `errno` or `sqlState` of errors from databases, sockets and files. */
  readonly code?: string | number;
  readonly sqlState?: string;
  /** Only for errors of the JavaScript language: their messages contain code, not data. */
  readonly message?: string;
  /** The frames of the stack, without the message. */
  readonly stack?: readonly string[];
  readonly cause?: ErrorDescription;
}

/** Describes an error and up to three nested causes. */
export function describeError(error: unknown, depth = 3): ErrorDescription {
  if (!(error instanceof Error)) return { type: typeof error };
  const sqlState = word(Reflect.get(error, 'sqlState'));
  // mysql2 translates error numbers to MySQL names, but MariaDB uses some numbers for other errors.
  const fields = sqlState === undefined ? ['code', 'errno'] : ['errno', 'code'];
  const [code] = fields.flatMap((field) => word(Reflect.get(error, field)) ?? []);
  return {
    type: error.name,
    ...(code === undefined ? {} : { code }),
    ...(typeof sqlState === 'string' ? { sqlState } : {}),
    ...(speaksOfCode(error) ? { message: error.message } : {}),
    ...(error instanceof ServiceError ? {} : { stack: frames(error) }),
    ...(error.cause === undefined || depth === 0 ? {} : { cause: describeError(error.cause, depth - 1) }),
  };
}

/**
 * The log fields of an error that ended a call: status, names from the configuration, and cause. Invalid requests omit the stack,
 * because the service is not at fault.
 */
export function describeFailure(error: unknown): FailureDescription {
  if (!(error instanceof ServiceError)) return { status: 500, error: describeError(error) };
  const { log, cause } = error.details;
  const known = { status: error.status, ...log };
  if (cause === undefined || (error.status < 500 && log?.code !== undefined)) return known;
  const described = describeError(cause);
  return { ...known, error: error.status < 500 ? withoutStack(described) : described };
}

function withoutStack({ stack: _stack, cause, ...described }: ErrorDescription): ErrorDescription {
  return { ...described, ...(cause === undefined ? {} : { cause: withoutStack(cause) }) };
}

/** The loggable part of a failed call. */
export interface FailureDescription {
  readonly status: number;
  readonly error?: ErrorDescription;
}

/** A code is a number or a short word; anything else might be data. */
function word(value: unknown): string | number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\w{1,40}$/.test(value) ? value : undefined;
}

/** Excludes SyntaxError, because JSON.parse quotes its input. */
function speaksOfCode(error: Error): boolean {
  return error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
}

function frames(error: Error): string[] {
  const lines = (error.stack ?? '').split('\n').map((line) => line.trim());
  return lines.filter((line) => /^at .*:\d+:\d+\)?$/.test(line));
}

/** The log: `log.warn({ datasource }, 'message')`. */
export type Log = Logger;

/** The log levels. `debug` adds one entry for each request. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** One of `logLevels`. */
export type LogLevel = (typeof logLevels)[number];

/** The formats of entries. `auto` is text on a terminal, else JSON. */
export type LogFormat = 'auto' | 'json' | 'text';

/** Creates a log of the given level. Secrets in entries are replaced by asterisks. */
export function createLog(level: LogLevel, secrets: readonly string[] = [], format: LogFormat = 'json'): Log {
  const written = secrets
    .filter((secret) => secret.length >= shortestSecret)
    .map((secret) => JSON.stringify(secret).slice(1, -1));
  const isTerminal = process.stdout.isTTY;
  const isText = format === 'text' || (format === 'auto' && isTerminal);
  const hasColours = isTerminal && (process.env.NO_COLOR ?? '') === '';
  const withoutSecrets = (line: string): string =>
    written.reduce((text, secret) => text.replaceAll(secret, '***'), line);
  const output = new LogOutput();
  const log = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      hooks: {
        streamWrite: (line) =>
          isText ? textEntry(withoutSecrets(line), hasColours) : jsonEntry(withoutSecrets(line)),
      },
    },
    output,
  );
  output.onLost = (entries) => {
    log.warn({ entries }, 'entries of the log are lost: its output was full');
  };
  return log;
}

/** Maximum characters of entries that wait while the output is blocked. */
const longestQueue = 1024 * 1024;
/** Milliseconds before a blocked output is retried, and the maximum time of these retries when the process ends. */
const retryPause = 50;
const lastPatience = 500;

interface Batch {
  readonly bytes: Buffer;
  readonly entries: number;
  written: number;
}

/** Standard output. If the disk is full, or the reader has exited or is blocked, only log entries are lost. */
export class LogOutput {
  /** Called with the number of lost entries once the output works again. */
  onLost: (entries: number) => void = () => undefined;
  private entries: string[] = [];
  private size = 0;
  private lost = 0;
  /** The batch that is being written. */
  private current: Batch | undefined;
  /** The pause before a blocked output is retried. */
  private pause: NodeJS.Timeout | undefined;
  /** Whether the last line of the output is incomplete. */
  private isTorn = false;
  private isUsed = false;

  constructor(private readonly file = 1) {}

  write(entry: string): void {
    if (!this.isUsed)
      process.once('exit', () => {
        this.flushSync();
      });
    this.isUsed = true;
    if (this.size + entry.length > longestQueue) {
      this.lost += 1;
      return;
    }
    this.entries.push(entry);
    this.size += entry.length;
    this.next();
  }

  /** Writes the last entries of a process. Node itself finishes a write that is running in one of its threads. */
  flushSync(): void {
    const waiting = this.pause === undefined ? undefined : this.current;
    const begun = waiting?.bytes.subarray(waiting.written) ?? Buffer.alloc(0);
    const bytes = Buffer.concat([begun, Buffer.from(this.entries.join(''))]);
    if (waiting !== undefined) {
      clearTimeout(this.pause);
      this.pause = this.current = undefined;
    }
    this.entries = [];
    this.size = 0;
    const until = performance.now() + lastPatience;
    for (let written = 0; written < bytes.length && performance.now() < until;) {
      try {
        written += writeSync(this.file, bytes, written);
      } catch (error) {
        if (!isBusy(error)) return;
      }
    }
  }

  private next(): void {
    if (this.current !== undefined || this.entries.length === 0) return;
    const { entries } = this;
    const text = (this.isTorn ? '\n' : '') + entries.join('');
    this.current = { bytes: Buffer.from(text), entries: entries.length, written: 0 };
    this.entries = [];
    this.size = 0;
    this.send(this.current);
  }

  private send(current: Batch): void {
    write(this.file, current.bytes, current.written, undefined, undefined, (error, written) => {
      if (error === null) current.written += written;
      if (isBusy(error)) {
        this.pause = setTimeout(() => {
          this.pause = undefined;
          this.send(current);
        }, retryPause);
      } else if (error === null && current.written < current.bytes.length) this.send(current);
      else this.ended(current, error === null);
    });
  }

  private ended({ entries, written }: Batch, isWritten: boolean): void {
    this.current = undefined;
    this.isTorn = !isWritten && (this.isTorn || written > 0);
    if (!isWritten) this.lost += entries;
    else if (this.lost > 0) {
      const { lost } = this;
      this.lost = 0;
      this.onLost(lost);
    }
    this.next();
  }
}

function isBusy(error: unknown): boolean {
  return errorCode(error) === 'EAGAIN';
}

/** Shorter secrets also occur in ordinary words. Masking those words would not protect the secret. */
const shortestSecret = 5;

/** A masked secret. Long secrets keep their last characters, to distinguish secrets. */
export function mask(secret: string): string {
  return `****${secret.length >= 12 ? secret.slice(-4) : ''}`;
}

/** ANSI colours of the levels. The other levels are not coloured. */
const colours: Readonly<Record<string, number>> = { debug: 36, info: 32, warn: 33, error: 31, fatal: 35 };

/** Formats a JSON entry as one line of text, with all special characters escaped. */
export function textEntry(line: string, hasColours: boolean): string {
  const entry = parsed(line);
  if (entry === undefined) return escaped(line.trimEnd()) + '\n';
  const { time, level, msg, ...fields } = entry;
  const word = textOf(level);
  const colour = hasColours ? colours[word] : undefined;
  const shown = word.toUpperCase().padEnd(5);
  const stacks: string[] = [];
  const pairs = Object.entries(fields).map(
    ([key, value]) => ` ${printable(key)}=${fieldText(value, stacks)}`,
  );
  const head = [
    textOf(time).slice(11, 23),
    colour === undefined ? shown : `\u001b[${colour}m${shown}\u001b[0m`,
    printable(textOf(msg)),
  ].join(' ');
  return `${head}${pairs.join('')}\n${stacks.map((frame) => `    ${frame}\n`).join('')}`;
}

/** The parsed entry; undefined if it is not valid JSON, because asterisks have replaced a number. */
function parsed(line: string): JsonObject | undefined {
  try {
    return JSON.parse(line) as JsonObject;
  } catch {
    return undefined;
  }
}

/** A field value in short form. Stack frames of errors are added to `stacks`. */
function fieldText(value: Json, stacks: string[]): string {
  if (typeof value === 'string')
    return /^[\w./:{}@+-]+$/.test(value) ? value : escaped(JSON.stringify(value));
  return escaped(
    JSON.stringify(value, (key, inner: Json) => {
      if (key !== 'stack' || !Array.isArray(inner)) return inner;
      stacks.push(...inner.map((frame) => printable(textOf(frame))));
      return undefined;
    }),
  );
}

/** A line of JSON with only visible characters. JSON.stringify escapes only characters that JSON forbids. */
function jsonEntry(line: string): string {
  return `${escaped(line.trimEnd())}\n`;
}

/** Escapes control characters, which could move the cursor or change colours of the terminal, as JSON does. */
function printable(text: string): string {
  return escaped(text.replaceAll(/[\n\r\t]/g, ' '));
}

function escaped(text: string): string {
  return (
    text
      .replaceAll(
        /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
        // Some characters are two UTF-16 units.
        (character) =>
          Array.from(
            { length: character.length },
            (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
          ).join(''),
      )
      // Prevents workflow commands when a service runs in GitHub Actions.
      .replaceAll('##[', '#\\u0023[')
  );
}
