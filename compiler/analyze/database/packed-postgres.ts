/** The data folder of a new PostgreSQL, as the build of the package has created it: creating one takes seconds. */
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

/** Where the build puts it: another version of PGlite has another one. */
export function packedPath(): string {
  return fileURLToPath(new URL(`postgres-${postgresVersion()}.tar.gz`, import.meta.url));
}

/** Undefined where the compiler was not built, or for another version. */
export function packedPostgres(): Buffer | undefined {
  try {
    return readFileSync(packedPath());
  } catch {
    return undefined;
  }
}
