/** Finds the API description and the files that it refers to. */
import { existsSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { DescriptionInput } from '../../../../read/openapi/documents.js';
import type { FindThirdParty } from '../../../../read/openapi/third-party/named-descriptions.js';
import { isBelow, isHidden, isSameFile, realPath, refuseOutside } from './file-inside.js';
import { notNoted, readText, type Place } from './read-text.js';

/** The first existing file is used. */
const names = ['openapi.yaml', 'openapi.yml', 'openapi.json'];

/** The named API description, or else the one in the configuration's folder; undefined if there is none. */
export function findDescription(named: string | undefined, place: Place): DescriptionInput | undefined {
  const { config, folder, note = notNoted } = place;
  if (named !== undefined) return descriptionAt(named, place);
  const isThere = (path: string): boolean => {
    note(path);
    return existsSync(path);
  };
  const [found, ...others] = names
    .map((name) => join(dirname(config), name))
    .filter(isThere)
    .map((path) => relative(folder, path));
  if (found === undefined) return undefined;
  refuseOutside(resolve(folder, found), found, config, '--openapi');
  return { ...descriptionAt(found, place), others };
}

/** The API description at this path. */
export function descriptionAt(shown: string, place: Place): DescriptionInput {
  const { folder, note = notNoted, read = readText } = place;
  const absolute = resolve(folder, shown);
  note(absolute);
  return {
    source: { path: shown, text: read(absolute, shown) },
    read: filesBeside(absolute, shown, place),
  };
}

/** Finds descriptions named by datasources: files in the configuration's folder or its subfolders. */
export function findThirdParty(place: Place): FindThirdParty {
  const { config, folder } = place;
  const shown = relative(folder, config);
  return (file) => {
    if (isAbsolute(file) || /(?:^|[\\/])\.\.(?:[\\/]|$)|^\w+:/.test(file)) return undefined;
    const source = filesBeside(config, shown, place)(file);
    if (source === undefined || source === 'private') return source;
    const absolute = join(dirname(config), file);
    return { source, read: filesBeside(absolute, source.path, place) };
  };
}

/** Reads files in the folder of a file or its subfolders. */
function filesBeside(
  absolute: string,
  shown: string,
  { config, note = notNoted, read = readText }: Place,
): DescriptionInput['read'] {
  const root = existsSync(absolute) ? dirname(realPath(absolute)) : realPath(dirname(absolute));
  const secrets = [config, join(dirname(config), '.env'), join(dirname(absolute), '.env')];
  return (path) => {
    const target = join(dirname(absolute), path);
    if (isPrivate(relative(dirname(absolute), target))) return 'private';
    note(target);
    const isFile = existsSync(target) && statSync(target).isFile();
    // A link may lead out of the folder.
    const real = isFile ? realPath(target) : '';
    if (!isBelow(real, root)) return undefined;
    if (isPrivate(relative(root, real)) || secrets.some((secret) => isSameFile(secret, real)))
      return 'private';
    const shownTarget = join(dirname(shown), path);
    return { path: shownTarget, text: read(target, shownTarget) };
  };
}

/** Hidden files such as `.env` and `.npmrc` contain credentials, and folders such as `.git` are not meant for readers. */
function isPrivate(path: string): boolean {
  return path.split(/[\\/]/).some(isHidden);
}
