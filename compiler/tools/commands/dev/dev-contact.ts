/** The files through which `apikiln token` finds each `apikiln dev` of a configuration. They have no secret of the service. */
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { replaceFile } from '../../../analyze/database/replace-file.js';
import { CommandError, exitStatus } from '../shared/output/exit-status.js';
import { realPath } from '../shared/files/file-inside.js';
import { reason } from '../shared/files/read-text.js';

/** How to ask a `dev`. */
export interface Contact {
  /** Its process. */
  readonly pid: number;
  /** The time of its start, in milliseconds. */
  readonly started: number;
  /** The port on 127.0.0.1. */
  readonly port: number;
  /** Every question has it. */
  readonly secret: string;
}

/** Undefined where files have no owner. */
const user = process.getuid?.();

/** The path of the file of a process. Undefined if there is no such configuration. */
export function contactPath(config: string, pid: number): string | undefined {
  const prefix = prefixOf(config);
  return prefix === undefined ? undefined : join(folder(), `${prefix}${pid}.json`);
}

/** Every `dev` that runs for the configuration, the newest first. Throws a CommandError if the folder or a file belongs to somebody else. */
export function contactsOf(config: string): Contact[] {
  const prefix = prefixOf(config);
  if (prefix === undefined || statsOf(folder()) === undefined) return [];
  refuseStrangeFolder();
  return filesOf(prefix)
    .flatMap((path) => readContact(path) ?? [])
    .filter(isAlive)
    .sort((one, other) => other.started - one.started || other.pid - one.pid);
}

/** Removes the files of processes that were killed. */
export function removeDead(config: string): void {
  const prefix = prefixOf(config);
  if (prefix === undefined || statsOf(folder()) === undefined) return;
  for (const path of filesOf(prefix)) {
    const contact = readContact(path);
    if (contact !== undefined && !isAlive(contact)) rmSync(path, { force: true });
  }
}

/** A digest of the real path of the configuration, with which its files begin. Undefined if there is no such configuration. */
function prefixOf(config: string): string | undefined {
  let real: string;
  try {
    real = realPath(config);
  } catch {
    return undefined;
  }
  return `dev-${createHash('sha256').update(real).digest('hex').slice(0, 32)}-`;
}

function filesOf(prefix: string): string[] {
  return readdirSync(folder())
    .filter((name) => name.startsWith(prefix) && /^\d+\.json$/.test(name.slice(prefix.length)))
    .map((name) => join(folder(), name));
}

/** False for the file of a `dev` that was killed, unless its process id is in use again. */
function isAlive({ pid }: Contact): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // Also for a process of another user.
    return false;
  }
}

/** Throws a CommandError if the folder or the file belongs to somebody else, or if the file cannot be written. */
export function writeContact(path: string, contact: Contact): void {
  try {
    makeFolder();
    refuseStrange(path);
    replace(path, JSON.stringify(contact));
  } catch (error) {
    throw error instanceof CommandError
      ? error
      : new CommandError(exitStatus.environment, `${path} cannot be written: ${reason(error)}.`);
  }
}

/** A file that is being written is never read. */
function replace(path: string, text: string): void {
  const written = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(written, text, { flag: 'wx', mode: 0o600 });
    replaceFile(written, path);
  } catch (error) {
    rmSync(written, { force: true });
    throw error;
  }
}

/** Undefined if there is no such file. Throws a CommandError if the folder or the file belongs to somebody else. */
function readContact(path: string): Contact | undefined {
  if (statsOf(folder()) === undefined) return undefined;
  refuseStrangeFolder();
  refuseStrange(path);
  let file: number;
  try {
    // A link that is put there after the check is not followed.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
  try {
    if (!isOwn(fstatSync(file))) throw strange(path);
    return contactIn(readFileSync(file, 'utf8'));
  } finally {
    closeSync(file);
  }
}

/** Removes the file of this process, and the folder if it is empty. Never throws. */
export function removeContact(path: string, { secret }: Contact): void {
  try {
    if (readContact(path)?.secret === secret) rmSync(path, { force: true });
    rmdirSync(folder());
  } catch {
    // A folder with files of other configurations stays.
  }
}

function folder(): string {
  // Users of a machine can share the folder for temporary files.
  return join(tmpdir(), `apikiln-${user ?? userInfo().username.replaceAll(/\W/g, '_')}`);
}

function makeFolder(): void {
  try {
    mkdirSync(folder(), { mode: 0o700 });
    // Whatever the umask is.
    chmodSync(folder(), 0o700);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  refuseStrangeFolder();
}

function refuseStrangeFolder(): void {
  const stats = lstatSync(folder());
  if (!stats.isDirectory() || !isPrivate(stats)) throw strange(folder());
}

/** Throws a CommandError for a link, a folder, or a file of somebody else. */
function refuseStrange(path: string): void {
  const stats = statsOf(path);
  if (stats !== undefined && !isOwn(stats)) throw strange(path);
}

function statsOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function isOwn(stats: Stats): boolean {
  return stats.isFile() && stats.nlink === 1 && isPrivate(stats);
}

/** Whether no other user can read or replace it. */
function isPrivate({ uid, mode }: Stats): boolean {
  return user === undefined || (uid === user && (mode & 0o077) === 0);
}

function strange(path: string): CommandError {
  return new CommandError(
    exitStatus.environment,
    `${path} is not used: it is a link, or it belongs to another user or can be read by one. Remove it.`,
  );
}

/** Undefined for a file with other content. */
function contactIn(text: string): Contact | undefined {
  try {
    const { pid, started, port, secret } = JSON.parse(text) as Partial<Contact>;
    const isWhole =
      [pid, started, port].every((one) => typeof one === 'number') && typeof secret === 'string';
    return isWhole ? ({ pid, started, port, secret } as Contact) : undefined;
  } catch {
    return undefined;
  }
}
