/** package.json and package-lock.json of a folder whose owner has installed packages: theirs stay. */
import type { GeneratedFile } from '../emit/module/file.js';
import type { Folder } from './folder.js';
import { hash, type Manifest } from './manifest.js';
import { isLater } from './versions.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The files as they go into the folder: package.json with what its owner has put in, where a build's own fields win; then the lock
 * file that npm has made for it stays, and `npm install` brings it up to date.
 */
export function withOwnPackages(
  folder: Folder,
  files: readonly GeneratedFile[],
  before: Manifest,
): readonly GeneratedFile[] {
  const merged = files.find(({ path }) => path === 'package.json');
  const present = folder.text('package.json');
  if (merged === undefined || present === undefined) return files;
  const written = before.get('package.json');
  if (written === undefined || written.includes(hash(present))) return files;
  const own = parsed(present);
  if (own === undefined) return files;
  const generated = parsed(merged.text) ?? {};
  // The owner's releases have versions of their own.
  const version = isLater(own['version'], generated['version']) ? own['version'] : generated['version'];
  const fields = mergedFields({ ...generated, version }, own);
  const text = `${JSON.stringify(fields, null, 2)}\n`;
  if (text === merged.text) return files;
  return files.flatMap((file) => {
    if (file.path === 'package.json') return { ...file, text };
    const lock = file.path === 'package-lock.json' ? folder.text(file.path) : undefined;
    return lock === undefined ? file : { ...file, text: lock };
  });
}

/** The fields of both, those inside of tables too. */
function mergedFields(generated: Fields, own: Fields): Fields {
  const fields = Object.entries(generated).map(([name, value]): [string, unknown] => {
    const other = own[name];
    return [name, isTable(value) && isTable(other) ? mergedFields(value, other) : value];
  });
  const more = Object.entries(own).filter(([name]) => !(name in generated));
  return Object.fromEntries([...fields, ...more]);
}

function parsed(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isTable(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isTable(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
