/** Reads the texts that the compiler is given. */
import { readFileSync } from 'node:fs';
import { CommandError, exitStatus } from './exit-status.js';

/** The text of a file; `shown` is its path as the user knows it. Throws a CommandError. */
export function readText(absolute: string, shown: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(absolute);
  } catch (error) {
    throw new CommandError(exitStatus.environment, `${shown} cannot be read: ${reason(error)}.`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandError(exitStatus.errors, `${shown} is not UTF-8 text. Save it as UTF-8.`);
  }
}

/** What the system says of a file, in words. */
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
  };
  return words[code] ?? (error instanceof Error ? error.message : String(error));
}
