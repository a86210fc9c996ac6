/** The environment of a service in `dev`: values of the configuration, `.env` next to it, and the environment of this process. */
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { replaceReferences } from '../../../read/config/environment-reference.js';
import type { GeneratedFile } from '../../../generate/emit/module/file.js';

/** Milliseconds that requests in flight have before the version that handles them is stopped. */
export const drainTimeLimit = 60_000;

export function readOptional(path: string, note: (file: string) => void): string {
  note(path);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** The settings of every version, in addition to the environment of this process. */
export function variables(): Record<string, string> {
  return {
    ...{ PORT: '0', HOST: '127.0.0.1', LOG_FORMAT: process.env.LOG_FORMAT ?? 'text' },
    // The one connection of an embedded database is shared by all requests.
    POOL_WAIT: process.env.POOL_WAIT ?? '20000',
    // Two versions may run at the same time, and requests in flight have the time that they need.
    ...{ MANAGEMENT_PORT: '', SHUTDOWN_DELAY: '0', SHUTDOWN_TIMEOUT: String(drainTimeLimit) },
  };
}

/** The settings of the configuration that `.env` next to it does not contain. */
export function envText(files: readonly GeneratedFile[], dotenv: string): string {
  const own = new Set(Object.keys(parseEnv(dotenv)));
  const lines = (files.find(({ path }) => path === '.env')?.text ?? '').split('\n');
  const kept = lines.filter((line) => !own.has(/^(\w+)=/.exec(line)?.[1] ?? ''));
  return `${kept.join('\n')}\n${dotenv}`;
}

/** The value of a variable with its references resolved once, for settings that are no secrets. */
export function resolved(environment: Readonly<NodeJS.ProcessEnv>, name: string): string {
  return replaceReferences(
    environment[name] ?? '',
    (reference) => environment[reference.name] ?? reference.fallback ?? '',
  );
}
