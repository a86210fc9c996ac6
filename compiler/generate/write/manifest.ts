/** `.apikiln.json`: which files of a service's folder a build wrote, with the hash of each. */
import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { json } from '../../notation/json-writer.js';
import { wordSet } from '../../read/wordset.js';
import type { Written } from '../../notation/written.js';
import type { GeneratedFile } from '../emit/module/file.js';
import { isArchive } from './archive.js';

/** Path below the service's folder. */
export const manifestPath = '.apikiln.json';

/** The package.json of the runtime that earlier versions copied into a service; its owner may have raised versions there. */
export const copiedRuntime = 'runtime/package.json';

/**
 * Path to the SHA-256 hashes of the texts that a build may have left there: one after a completed build, the old and the new one after an
 * interrupted build.
 */
export type Manifest = ReadonlyMap<string, readonly string[]>;

/** The manifest of a folder that holds exactly these files. */
export function manifestOf(files: readonly GeneratedFile[]): Manifest {
  return new Map(
    files
      .filter(({ kind }) => kind !== 'once' && kind !== 'secret')
      .map(({ path, text }) => [path, [hash(text, path)]]),
  );
}

/** The manifest while a build turns one folder into another. */
export function between(before: Manifest, after: Manifest): Manifest {
  const paths = [...before.keys(), ...after.keys()];
  return new Map(
    paths.map((path) => [path, [...new Set([...(before.get(path) ?? []), ...(after.get(path) ?? [])])]]),
  );
}

/** The text of the file. */
export function manifestText(manifest: Manifest): Written<'json'> {
  const note =
    'Files that the last build wrote, with the SHA-256 of each. A build replaces and removes only these.';
  const entries = [...manifest].sort(([a], [b]) => (a < b ? -1 : 1));
  const files = Object.fromEntries(
    entries.map(([path, hashes]) => [path, hashes.length === 1 ? hashes[0] : hashes]),
  );
  return json.file({ note, files });
}

/** The content of a file, whoever wrote it: entries that a build cannot have written are ignored. */
export function readManifest(text: string | undefined): Manifest {
  return new Map(
    entriesOf(text).flatMap(([path, written]): [string, string[]][] => {
      const hashes = [written].flat().filter((hash) => typeof hash === 'string');
      return isBelow(path) && isOfBuilds(path) && hashes.length > 0 ? [[path, hashes]] : [];
    }),
  );
}

function entriesOf(text = '{}'): [string, unknown][] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return [];
  }
  const files: unknown = Object(parsed) === parsed ? Reflect.get(parsed as object, 'files') : undefined;
  return typeof files === 'object' && files !== null ? Object.entries(files) : [];
}

/** Files at the top of a service's folder. */
const topFiles = wordSet(`
  README.md package.json package-lock.json tsconfig.json Dockerfile .dockerignore .gitattributes .gitignore .env.example
`);

/** `runtime` and `src/runtime` are of earlier versions. */
const ofFolders =
  /^(?:src\/(?:operations\/|runtime\/.*)?[\w-]+\.ts|runtime\/(?:LICENSE|.+\.(?:ts|json))|vendor\/apikiln-runtime-[\w.-]+\.tgz|kubernetes\/(?:base\/.+|secrets\.example)\.yaml)$/;

/**
 * True for a path that builds write: an edited manifest may name any other file of the folder, with its hash, and a build would remove that.
 * The modules of the owner are in `src` too.
 */
function isOfBuilds(path: string): boolean {
  if (/^src\/(?:app|middleware)\.ts$|(?:^|\/)node_modules\//.test(path)) return false;
  return topFiles.has(path) || ofFolders.test(path);
}

/** True for a path that leads to a file below the folder, written as builds write it. */
function isBelow(path: string): boolean {
  return (
    !posix.isAbsolute(path) &&
    posix.normalize(path) === path &&
    !/^\.\.?(?:\/|$)|\/$|[\\\0:]/.test(path) &&
    path !== ''
  );
}

/** Whether a build has left this text there; for that package.json, up to the versions in it. */
export function isAsWritten(path: string, text: string, hashes: readonly string[]): boolean {
  return hashes.includes(hash(text, path)) || (path === copiedRuntime && hashes.includes(looseHash(text)));
}

/** The hash of a package.json without versions, because users raise them after security advisories. */
function looseHash(text: string): string {
  return hash(text.replaceAll(/"[~^]?\d+\.\d+\.\d+[^"]*"/g, '""'), copiedRuntime);
}

/** SHA-256 of the file with this text, in hexadecimal digits. */
export function hash(text: string, path: string): string {
  return createHash('sha256')
    .update(text, isArchive(path) ? 'latin1' : 'utf8')
    .digest('hex');
}
