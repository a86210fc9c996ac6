/** Finds the files that match `include` patterns, in the configuration's folder and its subfolders. */
import { readdirSync, statSync, type Dirent } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { FindIncluded, MatchedFile } from '../../../../read/config/include/included-files.js';
import { matchesName, withoutDot } from '../../../../read/config/include/patterns.js';
import { patternsOf } from '../../../../read/config/read-config.js';
import type { Source } from '../../../../read/source.js';
import { CommandError } from '../output/exit-status.js';
import { fileInside, isSameFile, realPath, type FileInside } from './file-inside.js';
import { notNoted, readText, reason, type NoteFile, type Place } from './read-text.js';

export function findIncluded({ config, folder, note = notNoted, read = readText }: Place): FindIncluded {
  const found = new Search(config, folder, note, read);
  return (pattern) => found.matching(pattern);
}

/** Whether a configuration includes the file at this absolute path. */
export function isIncluded(file: string, config: Source, find: FindIncluded): boolean {
  if (!config.text.includes('include')) return false;
  let real: string;
  try {
    real = realPath(file);
  } catch {
    // A file that is not saved yet cannot match a pattern.
    return false;
  }
  return patternsOf(config).some((pattern) => find(withoutDot(pattern)).some(({ id }) => id === real));
}

class Search {
  readonly #root: string;
  readonly #entries = new Map<string, readonly Dirent[] | string>();

  constructor(
    private readonly config: string,
    private readonly folder: string,
    private readonly note: NoteFile,
    private readonly readFile: typeof readText,
  ) {
    this.#root = dirname(config);
  }

  matching(pattern: string): readonly MatchedFile[] {
    const found = new Map<string, MatchedFile>();
    const seen = new Set<string>();
    const segments = pattern.normalize('NFC').split('/');
    const look = (path: string, name: string, index: number): void => {
      const key = `${index} ${path}`;
      const segment = segments[index];
      if (seen.has(key) || segment === undefined) return;
      seen.add(key);
      const entries = this.#list(path);
      if (typeof entries === 'string') {
        this.note(path);
        found.set(path, unreadable(name, `cannot be read: ${entries}`));
        return;
      }
      // If only one name can match, other names are not noted.
      const only = /[*?]/.test(segment)
        ? []
        : entries.filter((entry) => entry.name.normalize('NFC') === segment);
      for (const one of only.length > 0 ? only.map((entry) => join(path, entry.name)) : [path])
        this.note(one);
      if (segment === '**') look(path, name, index + 1);
      for (const entry of entries) {
        const inner = entry.name.normalize('NFC');
        const below = { path: join(path, entry.name), name: name === '' ? inner : `${name}/${inner}` };
        if (segment === '**') {
          if (entry.isDirectory() && entry.name !== 'node_modules') look(below.path, below.name, index);
        } else if (matchesName(segment, inner)) {
          if (index < segments.length - 1) {
            if (isFolder(below.path)) lookInto(below, index + 1);
          } else {
            const file = this.#matched(below.path, below.name, inner === segment);
            if (file !== undefined) found.set(below.path, file);
          }
        }
      }
    };
    const lookInto = (below: { readonly path: string; readonly name: string }, index: number): void => {
      const folder = fileInside(below.path, this.#root, 'the folder of the configuration');
      if ('kind' in folder && folder.kind === 'outside')
        found.set(below.path, unreadable(below.name, folder.problem, hints.outside));
      else look(below.path, below.name, index);
    };
    look(this.#root, '', 0);
    return [...found.values()];
  }

  /** The entries without hidden files, or the reason why the folder cannot be read. Empty if the folder does not exist. */
  #list(path: string): readonly Dirent[] | string {
    const known = this.#entries.get(path);
    if (known !== undefined) return known;
    let entries: readonly Dirent[] | string;
    try {
      entries = readdirSync(path, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'));
    } catch (error) {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      entries = isMissing ? [] : reason(error);
    }
    this.#entries.set(path, entries);
    return entries;
  }

  /** Undefined if a pattern with wildcards matches a folder. */
  #matched(path: string, name: string, isNamed: boolean): MatchedFile | undefined {
    this.note(path);
    const found = fileInside(path, this.#root, 'the folder of the configuration');
    if (isFolder(path)) return isNamed ? unreadable(name, 'is a folder', `Write ${name}/*.yaml`) : undefined;
    if ('problem' in found) return unreadable(name, found.problem, hints[found.kind]);
    const { real, stats } = found;
    if (!stats.isFile()) return unreadable(name, 'is not a file');
    if (isSameFile(this.config, real))
      return unreadable(
        name,
        'is the configuration itself',
        'Put the included files into a separate folder, and write operations/*.yaml',
      );
    return { name, id: real, read: () => this.#read(path, name) };
  }

  #read(path: string, name: string): ReturnType<MatchedFile['read']> {
    try {
      return { path: relative(this.folder, path), text: this.readFile(path, name) };
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      // Splits messages of the form `<name> cannot be read: <reason>. <hint>`.
      const [problem = '', hint = ''] = error.message.slice(name.length + 1).split(/\.(?:$| )(.*)/s);
      return { problem, hint: hint === '' ? readable : hint };
    }
  }
}

type Kind = Extract<FileInside, { readonly problem: string }>['kind'];

const hints: Readonly<Partial<Record<Kind, string>>> = {
  outside: 'Included files are in the folder of the configuration or in folders below it.',
  hidden: 'Hidden files are never included.',
};

const readable = 'Make it a readable file, or write a pattern that does not match it.';

function unreadable(name: string, problem: string, hint = readable): MatchedFile {
  return { name, id: `${name} ${problem}`, read: () => ({ problem, hint }) };
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
