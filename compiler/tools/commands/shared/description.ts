/** Finds the API description, and the files that it refers to. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { DescriptionInput } from '../../../read/openapi/documents.js';
import { readText } from './read-text.js';

/** In this order, the first that is there (decisions 9.1). */
const names = ['openapi.yaml', 'openapi.yml', 'openapi.json'];

/** Receives the absolute path of a file before it is read or looked for. */
export type NoteFile = (absolute: string) => void;

/**
 * The named API description, else the one in the configuration's folder; undefined if there is none. `config`: the absolute path of the
 * configuration.
 */
export function findDescription(
  named: string | undefined,
  config: string,
  folder: string,
  note: NoteFile,
  readFile = readText,
): DescriptionInput | undefined {
  const configFolder = dirname(config);
  const isThere = (path: string): boolean => {
    note(path);
    return existsSync(path);
  };
  const [found, ...others] = names.map((name) => join(configFolder, name)).filter(isThere);
  const absolute = named === undefined ? found : resolve(folder, named);
  if (absolute === undefined) return undefined;
  note(absolute);
  const shown = named ?? relative(folder, absolute);
  const source = { path: shown, text: readFile(absolute, shown) };
  const root = dirname(realpathSync(absolute));
  const secrets = [config, join(configFolder, '.env'), join(dirname(absolute), '.env')];
  const read: DescriptionInput['read'] = (path) => {
    const target = join(dirname(absolute), path);
    if (isPrivate(target)) return 'private';
    const isFile = isThere(target) && statSync(target).isFile();
    // A link may lead out of the folder.
    const real = isFile ? realpathSync(target) : '';
    if (!real.startsWith(root + sep)) return undefined;
    if (isPrivate(real) || secrets.some((secret) => isSameFile(secret, real))) return 'private';
    const shownTarget = join(dirname(shown), path);
    return { path: shownTarget, text: readFile(target, shownTarget) };
  };
  return {
    source,
    read,
    ...(named === undefined ? { others: others.map((path) => relative(folder, path)) } : {}),
  };
}

/** Files of environment variables: `.env`, `.env.production` and the like. */
function isPrivate(path: string): boolean {
  return /^\.env(?:\.|$)/i.test(basename(path));
}

/** Also by way of links, and where the letter case of names does not count. */
function isSameFile(secret: string, real: string): boolean {
  const [one, other] = [secret, real].map((path) => statSync(path, { throwIfNoEntry: false }));
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
}
