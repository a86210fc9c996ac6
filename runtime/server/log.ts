/** The log of the service: one line of JSON per entry on standard output, or text for people. */
import { pino, type Logger } from 'pino';
import { textEntry } from './log-text.js';

/** Takes entries: `log.warn({ datasource }, 'message')`. */
export type Log = Logger;

/** How much is logged; `debug` adds one entry per request. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** One of `logLevels`. */
export type LogLevel = (typeof logLevels)[number];

/** How entries are written; `auto` is text on a terminal, else JSON. */
export type LogFormat = 'auto' | 'json' | 'text';

/** A log of that level. Should one of the secrets reach an entry after all, stars stand in its place. */
export function createLog(level: LogLevel, secrets: readonly string[] = [], format: LogFormat = 'json'): Log {
  const written = secrets
    .filter((secret) => secret.length >= shortestSecret)
    .map((secret) => JSON.stringify(secret).slice(1, -1));
  const isTerminal = process.stdout.isTTY;
  const isText = format === 'text' || (format === 'auto' && isTerminal);
  const hasColours = isTerminal && (process.env.NO_COLOR ?? '') === '';
  const withoutSecrets = (line: string): string =>
    written.reduce((text, secret) => text.replaceAll(secret, '***'), line);
  return pino({
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
    hooks: {
      streamWrite: (line) => (isText ? textEntry(withoutSecrets(line), hasColours) : withoutSecrets(line)),
    },
  });
}

/** Shorter ones stand in ordinary words, and hiding those would hide the secret nowhere. */
const shortestSecret = 5;

/** A secret that is reported: its last characters, so that two can be told apart. */
export function mask(secret: string): string {
  return `****${secret.length >= 12 ? secret.slice(-4) : ''}`;
}
