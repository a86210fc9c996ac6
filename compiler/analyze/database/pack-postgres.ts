/** A build step: creates the data folder of a new PostgreSQL next to the compiler, unless it exists. */
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { packedPath } from './packed-postgres.js';

const path = packedPath();
if (!existsSync(path)) {
  const database = await PGlite.create();
  const dump = await database.dumpDataDir('none');
  await database.close();
  writeFileSync(`${path}.new`, gzipSync(new Uint8Array(await dump.arrayBuffer())));
  renameSync(`${path}.new`, path);
}
