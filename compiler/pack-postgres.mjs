/**
 * Part of `npm run build`: the data folder of a new PostgreSQL next to the compiler, because creating one takes seconds. The same versions of
 * this file and of PGlite give the same bytes.
 */
import { spawnSync } from 'node:child_process';
import crypto, { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'fflate';
import { createTar } from 'nanotar';
import { moveTo, newPath, replaceFile } from './replace-file.mjs';
import { fixedTime } from './tarball.mjs';

const own = fileURLToPath(import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url));
const noted = join(root, 'dist/postgres.json');

/** Templates for `CREATE DATABASE`, which the embedded PostgreSQL does not support: two thirds of the data. */
const templates = /^\/base\/[14]\//;

/** Packs the folder unless it is up to date. */
export function buildPostgres() {
  const { version } = JSON.parse(
    readFileSync(join(root, 'node_modules/@electric-sql/pglite/package.json'), 'utf8'),
  );
  const path = join(root, `dist/compiler/postgres-${version}.tar.gz`);
  const key = createHash('sha256').update(readFileSync(own)).update(version).digest('hex');
  if (existsSync(path) && existsSync(noted) && readFileSync(noted, 'utf8') === key) return;
  // In another process, whose clock is set.
  const written = newPath(path);
  const { status } = spawnSync(process.execPath, [own, written], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The data folder of PostgreSQL could not be created.');
  moveTo(written, path);
  const old = readdirSync(join(root, 'dist/compiler')).filter((name) => /^postgres-.*\.tar\.gz$/.test(name));
  for (const name of old) if (name !== basename(path)) rmSync(join(root, 'dist/compiler', name));
  replaceFile(noted, key);
}

/** The packed data folder of a new PostgreSQL, which has been shut down. */
export async function packPostgres() {
  setClock();
  const { PGlite } = await import('@electric-sql/pglite');
  const folder = mkdtempSync(join(tmpdir(), 'apikiln-postgres-'));
  try {
    await (await PGlite.create({ dataDir: folder })).close();
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        const name = path.slice(folder.length).replaceAll('\\', '/');
        return entry.isDirectory() ? { name, mode: '750' } : { name, mode: '600', data: readFileSync(path) };
      })
      .filter(({ name }) => !templates.test(name))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    const control = entries.find(({ name }) => name === '/global/pg_control');
    clearLogs(
      control.data,
      entries.filter(({ name }) => /^\/pg_wal\/[0-9A-F]{24}$/.test(name)),
    );
    const attrs = { uid: 0, gid: 0, mtime: fixedTime, user: '', group: '' };
    const tar = createTar(entries.map(({ name, mode, data }) => ({ name, data, attrs: { ...attrs, mode } })));
    return gzipSync(tar, { level: 9, mtime: fixedTime });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A fixed time and fixed random numbers: PostgreSQL writes both into its files. */
function setClock() {
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...args) {
      super(...(args.length === 0 ? [fixedTime] : args));
    }

    static now() {
      return fixedTime;
    }
  };
  let next = 0;
  crypto.randomFillSync = (array) => {
    for (let index = 0; index < array.length; index += 1) array[index] = next++ % 251;
    return array;
  };
}

const pageSize = 8192;
/** Offsets in pg_control: the state (1 is a database that was shut down), the position of the last checkpoint. */
const stateAt = 16;
const checkpointAt = 32;
const shutDown = 1;

/**
 * Fills the write-ahead log with zeros up to its last checkpoint. A database that was shut down starts from this record; PostgreSQL only
 * reads the first page of its segment besides.
 */
function clearLogs(control, logs) {
  const view = new DataView(control.buffer, control.byteOffset, control.byteLength);
  if (view.getUint32(stateAt, true) !== shutDown) throw new Error('PostgreSQL was not shut down.');
  const checkpoint = view.getBigUint64(checkpointAt, true);
  for (const log of logs) {
    const segment = BigInt(log.data.length);
    const number = log.name.slice(-24);
    const start =
      BigInt(`0x${number.slice(8, 16)}`) * 0x1_0000_0000n + BigInt(`0x${number.slice(16)}`) * segment;
    const at = Number(checkpoint - start);
    const isLast = at >= 0 && at < log.data.length;
    log.data.fill(0, isLast ? pageSize : 0, isLast ? at - (at % pageSize) : log.data.length);
  }
}

if (process.argv[1] === own) writeFileSync(process.argv[2], await packPostgres());
