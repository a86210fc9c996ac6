/** The environment of a service in `dev`: configuration values, `.env` next to the configuration, and this process's environment. */
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { replaceReferences } from '../../../read/config/environment-reference.js';
import type { GeneratedFile } from '../../../generate/emit/module/file.js';

/** Milliseconds that requests in flight have before their version is stopped. */
export const drainTimeLimit = 60_000;

export function readOptional(path: string, note: (file: string) => void): string {
  note(path);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** Settings of every version, in addition to the environment of this process. */
export function variables(): Record<string, string> {
  return {
    ...{ PORT: '0', HOST: '127.0.0.1', LOG_FORMAT: process.env.LOG_FORMAT ?? 'text' },
    // All requests share the single connection of an embedded database.
    POOL_WAIT: process.env.POOL_WAIT ?? '20000',
    // Two versions may run at the same time, and requests in flight get the time that they need.
    ...{ MANAGEMENT_PORT: '', SHUTDOWN_DELAY: '0', SHUTDOWN_TIMEOUT: String(drainTimeLimit) },
  };
}

/** Settings of the configuration that its `.env` does not override. */
export function envText(files: readonly GeneratedFile[], dotenv: string): string {
  const own = new Set(Object.keys(parseEnv(dotenv)));
  const lines = (files.find(({ path }) => path === '.env')?.text ?? '').split('\n');
  const kept = lines.filter((line) => !own.has(/^(\w+)=/.exec(line)?.[1] ?? ''));
  return `${kept.join('\n')}\n${dotenv}`;
}

/** The value of a variable with references resolved once, for settings that are not secret. */
export function resolved(environment: Readonly<NodeJS.ProcessEnv>, name: string): string {
  return replaceReferences(
    environment[name] ?? '',
    (reference) => environment[reference.name] ?? reference.fallback ?? '',
  );
}
