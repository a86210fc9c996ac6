/** Starts a PostgreSQL with a schema in the current thread. */
import type { Source } from '../../../read/source.js';
import type { DiskCache } from '../disk-cache.js';
import type { EmbeddedPostgres as Embedded } from './embedded-postgres.js';
import { loadSchema } from '../load-schema.js';
import type { LoadedSchema } from '../open-schemas.js';
import { extensionsIn } from '../schema-text.js';

/** `searchPath` is the session's search path, if not the default. */
export async function startSchema(
  sources: readonly Source[],
  files: DiskCache,
  searchPath: string | undefined,
): Promise<LoadedSchema> {
  // Loaded dynamically, because most builds only need the cache.
  const { EmbeddedPostgres } = await import('./embedded-postgres.js');
  const start = (): Promise<Embedded> => EmbeddedPostgres.start(extensionsIn(sources), files);
  return loadSchema(sources, start, (database) => database, searchPath);
}
