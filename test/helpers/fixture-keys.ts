/** Readers of fixtures check every key and every file, because a misspelt one would be ignored. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parse } from 'yaml';

/** All keys of an interface: adding or removing a key is a type error where they are listed. */
export type Keys<Entry> = {
  readonly [Key in keyof Entry]-?: object extends Pick<Entry, Key> ? 'optional' : 'required';
};

/** A fixture value with its expected type; throws if it is not a map, has an unknown key, or lacks a required key. */
export function entryOf<Entry>(value: unknown, keys: Keys<Entry>, where: string): Entry {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${where} must be a map.`);
  const known: Readonly<Record<string, string>> = keys;
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(known, key));
  if (unknown.length > 0)
    throw new Error(
      `${where} has unknown keys: ${unknown.join(', ')}. Known: ${Object.keys(known).join(', ')}.`,
    );
  const missing = Object.keys(known).filter((key) => known[key] === 'required' && !(key in value));
  if (missing.length > 0) throw new Error(`${where} lacks ${missing.join(', ')}.`);
  return value as Entry;
}

/** A list of entries, which messages identify by index. Throws if the list is empty. */
export function entriesOf<Entry>(value: unknown, keys: Keys<Entry>, where: string): readonly Entry[] {
  if (!Array.isArray(value) || value.length === 0) throw new Error(`${where} must be a list with entries.`);
  return value.map((entry: unknown, index) => entryOf(entry, keys, `${where}, entry ${index + 1}`));
}

/** Reads a YAML file that contains a list of entries. */
export function readEntries<Entry>(path: string, keys: Keys<Entry>): readonly Entry[] {
  return entriesOf(parse(readFileSync(path, 'utf8')), keys, path);
}

/** The names of a folder's fixtures, sorted; throws if a fixture contains an unknown file. */
export function fixtureFolders(root: string, files: readonly RegExp[]): readonly string[] {
  const names = readdirSync(root).sort();
  for (const name of names) expectKnownFiles(join(root, name), files);
  return names;
}

function expectKnownFiles(folder: string, files: readonly RegExp[]): void {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  const unknown = found.filter((path) => !files.some((pattern) => pattern.test(path)));
  if (unknown.length > 0) throw new Error(`${folder} has files that nothing reads: ${unknown.join(', ')}.`);
}
