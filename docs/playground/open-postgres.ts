/** Starts a PostgreSQL in this worker, from the data folder that the build of the compiler packs. */
import type { Extension, PGlite } from '@electric-sql/pglite';

/** Settings of the server are those of `compiler/analyze/database/embedded/embedded-postgres.ts`. */
const maxLocks = 1024;

let packed: Promise<Blob> | undefined;

export async function openPostgres(extensions: Readonly<Record<string, Extension>> = {}): Promise<PGlite> {
  packed ??= load();
  const { PGlite } = await import('@electric-sql/pglite');
  const startParams = [...PGlite.defaultStartParams, '-c', `max_locks_per_transaction=${maxLocks}`];
  return PGlite.create({ loadDataDir: await packed, extensions, startParams });
}

async function load(): Promise<Blob> {
  const response = await fetch(new URL('postgres.bin', import.meta.url));
  const { body } = response;
  if (!response.ok || body === null)
    throw new Error(`PostgreSQL cannot be loaded: status ${response.status}`);
  return new Response(body.pipeThrough(new DecompressionStream('gzip'))).blob();
}
