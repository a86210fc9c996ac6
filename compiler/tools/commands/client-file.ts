/** The file of `apikiln build --client`: compares it with the client of the service, and writes it. */
import { basename, dirname, relative, resolve, sep } from 'node:path';
import { isClientHeader } from '../../generate/emit/client/client-header.js';
import type { Change, Conflict } from '../../generate/write/compare.js';
import { Folder } from '../../generate/write/folder.js';
import { realPath } from './shared/files/file-inside.js';
import { CommandError, exitStatus } from './shared/output/exit-status.js';

/** The file as it would be after a build. */
export class ClientFile {
  readonly #path: string;
  /** The path relative to the service's folder, with slashes. */
  readonly #shown: string;

  /** `file` is as entered by the user; `folder` is the folder of the service. */
  constructor(file: string, { from, folder }: { readonly from: string; readonly folder: string }) {
    this.#path = resolve(from, file);
    this.#shown = relative(folder, this.#path).split(sep).join('/');
    if (!/\.m?ts$/.test(file))
      throw new CommandError(
        exitStatus.usage,
        `--client ${file}: the client is TypeScript, so its name ends with .ts.`,
      );
    const inside = relative(real(folder), real(dirname(this.#path)));
    if (inside === '' || !(inside.startsWith('..') || resolve(inside) === inside))
      throw new CommandError(
        exitStatus.usage,
        `--client ${file} is in the folder of the service. Programs that call the service need it: name a file of theirs.`,
      );
  }

  /** The change that a build makes; undefined if the file has this text. */
  changeTo(text: string): Change | undefined {
    const present = this.#folder.look(basename(this.#path));
    if (present.kind === 'nothing') return { path: this.#shown, kind: 'added' };
    return present.kind === 'file' && present.text === text
      ? undefined
      : { path: this.#shown, kind: 'changed' };
  }

  /** A file that no build wrote is not overwritten. */
  get conflict(): Conflict | undefined {
    const present = this.#folder.look(basename(this.#path));
    if (present.kind === 'nothing') return undefined;
    if (present.kind === 'obstacle') return { path: this.#shown, reason: 'obstacle' };
    const [first = ''] = present.kind === 'file' ? present.text.split('\n', 1) : [];
    return isClientHeader(first) ? undefined : { path: this.#shown, reason: 'foreign' };
  }

  write(text: string): void {
    this.#folder.write(basename(this.#path), text);
  }

  get #folder(): Folder {
    return new Folder(dirname(this.#path));
  }
}

/** The path without links, as far as it exists. */
function real(path: string): string {
  try {
    return realPath(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : resolve(real(above), basename(path));
  }
}
