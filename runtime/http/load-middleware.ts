/** Finds the user's own middleware, which stands before every operation where there is any. */
import { existsSync } from 'node:fs';
import { StartError } from '../server/start-error.js';
import type { Fallback } from './fallback.js';

/** What the module exports as `middleware`; undefined where there is no such file. Throws a StartError where it exports none. */
export async function loadMiddleware(file: URL | undefined): Promise<Fallback | undefined> {
  if (file === undefined || !existsSync(file)) return undefined;
  const { middleware } = (await import(file.href)) as { readonly middleware?: unknown };
  if (typeof middleware === 'function') return middleware as Fallback;
  throw new StartError([
    "src/middleware.ts exports no function 'middleware': export one, such as an Express application, or remove the file.",
  ]);
}
