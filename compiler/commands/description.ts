/** Finds the API description, and the files that it refers to. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { DescriptionInput } from '../openapi/documents.js';
import { readText } from './read-text.js';

/** In this order, the first that is there (decisions 9.1). */
const names = ['openapi.yaml', 'openapi.yml', 'openapi.json'];

/** Is given the absolute path of a file before it is read or looked for. */
export type NoteFile = (absolute: string) => void;

/** The API description that was named, else the one in the configuration's folder; undefined when there is none. */
export function findDescription(
  named: string | undefined,
  configFolder: string,
  folder: string,
  note: NoteFile,
): DescriptionInput | undefined {
  const isThere = (path: string): boolean => {
    note(path);
    return existsSync(path);
  };
  const [found, ...others] = names.map((name) => join(configFolder, name)).filter(isThere);
  const absolute = named === undefined ? found : resolve(folder, named);
  if (absolute === undefined) return undefined;
  note(absolute);
  const shown = named ?? relative(folder, absolute);
  const source = { path: shown, text: readText(absolute, shown) };
  const root = dirname(realpathSync(absolute));
  const read: DescriptionInput['read'] = (path) => {
    const target = join(dirname(absolute), path);
    const isFile = isThere(target) && statSync(target).isFile();
    // A link may lead out of the folder.
    if (!isFile || !realpathSync(target).startsWith(root + sep)) return undefined;
    const shownTarget = join(dirname(shown), path);
    return { path: shownTarget, text: readText(target, shownTarget) };
  };
  return {
    source,
    read,
    ...(named === undefined ? { others: others.map((path) => relative(folder, path)) } : {}),
  };
}
