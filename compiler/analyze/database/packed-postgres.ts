/** The data folder of a new PostgreSQL, packed when this package is built, because creating one takes seconds. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The version of PGlite, without loading it. */
export function postgresVersion(): string {
  const require = createRequire(import.meta.url);
  const main = require.resolve('@electric-sql/pglite');
  const manifest = require(`${main.slice(0, main.lastIndexOf('/dist/'))}/package.json`) as {
    version: string;
  };
  return manifest.version;
}

/** The path of the packed folder, which includes the version of PGlite. */
export function packedPath(): string {
  return fileURLToPath(new URL(`postgres-${postgresVersion()}.tar.gz`, import.meta.url));
}

/** The packed data folder; undefined if the compiler was not built, or was built with another version. */
export function packedPostgres(): Buffer | undefined {
  try {
    return readFileSync(packedPath());
  } catch {
    return undefined;
  }
}
