/** Reads input files of the compiler, relative to a place. */
import { readFileSync, statSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { CommandError, exitStatus } from '../output/exit-status.js';

/** Receives the absolute path of a file before it is read or searched for. */
export type NoteFile = (absolute: string) => void;

export function notNoted(): void {
  // Used if nobody needs to know which files a result depends on.
}

/** The location of a configuration, for files that are found next to it. */
export interface Place {
  /** Absolute path. */
  readonly config: string;
  /** The base of relative paths and of displayed paths. */
  readonly folder: string;
  readonly note?: NoteFile;
  readonly read?: typeof readText;
}

/** The text of a file; `shown` is the path displayed to the user. Throws a CommandError. */
export function readText(absolute: string, shown: string): string {
  let bytes: Buffer;
  try {
    const { size, isOther } = fileOrFolder(absolute);
    if (isOther) throw new CommandError(exitStatus.environment, `${shown} cannot be read: it is not a file.`);
    if (size > largest)
      throw new CommandError(exitStatus.errors, `${shown} is too large: it has more than 64 MiB.`);
    bytes = readFileSync(absolute);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(exitStatus.environment, `${shown} cannot be read: ${reason(error)}.`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandError(exitStatus.errors, `${shown} is not UTF-8 text. Save it as UTF-8.`);
  }
}

/** Larger than any file written by hand; larger files are rejected without reading them. */
const largest = 64 * 1024 * 1024;

/**
 * Characters of about 2,000 operations. Limiting the heap makes smaller builds a few percent slower, and they need little memory anyway.
 */
const large = 2_000_000;

/**
 * Reads files of a configuration. Once their total size is large, the heap may at most double before a collection; by default V8 lets it
 * grow to three or four times the live size, which for 10,000 operations takes half a gigabyte more.
 */
export function readLimitingHeap(read = readText, setFlags = setFlagsFromString): typeof readText {
  let characters = 0;
  return (absolute, shown) => {
    const text = read(absolute, shown);
    characters += text.length;
    if (characters > large) setFlags('--heap-growing-percent=100');
    return text;
  };
}

/** Devices and pipes may be endless, and reading them may never return. Pipes connected by a shell have a writer. */
function fileOrFolder(absolute: string): { size: number; isOther: boolean } {
  const stats = statSync(absolute);
  const isConnected = stats.isFIFO() && /^\/dev\/(?:stdin|fd\/\d+)$/.test(absolute);
  return { size: stats.size, isOther: !stats.isFile() && !stats.isDirectory() && !isConnected };
}

/** A system error for a file, in words. */
export function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file',
    EISDIR: 'it is a folder',
    ENOTDIR: 'a part of the path is a file, not a folder',
    EACCES: 'permission is denied',
    EPERM: 'permission is denied',
    EROFS: 'the file system is read-only',
    ENOSPC: 'the disk is full',
    ELOOP: 'its links form a cycle',
    ENAMETOOLONG: 'its name is too long',
    EMFILE: 'too many files are open',
    EBUSY: 'it is in use',
  };
  return words[code] ?? (error instanceof Error ? error.message : String(error));
}
