/** `.apikiln.json`: the files that builds wrote to a service's folder, with their hashes. */
import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { json } from '../../notation/json-writer.js';
import { isJsonMap, type JsonMap } from '../../read/json.js';
import { wordSet } from '../../read/wordset.js';
import type { Written } from '../../notation/written.js';
import type { GeneratedFile } from '../emit/module/file.js';
import { isArchive } from './archive.js';

/** Path relative to the service's folder. */
export const manifestPath = '.apikiln.json';

/** The package.json of the runtime that earlier versions copied into services; users may have raised versions in it. */
export const copiedRuntime = 'runtime/package.json';

/**
 * SHA-256 hashes, by path, of the texts that builds may have left: one hash after a completed build, the old and the new one after an
 * interrupted build.
 */
export type Manifest = ReadonlyMap<string, readonly string[]>;

/** The manifest of a folder with exactly these files. */
export function manifestOf(files: readonly GeneratedFile[]): Manifest {
  return new Map(
    files
      .filter(({ kind }) => kind !== 'once' && kind !== 'secret')
      .map(({ path, text }) => [path, [hash(text, path)]]),
  );
}

/** The fields of package.json that a build writes; undefined without a package.json. */
export function packageFieldsOf(files: readonly GeneratedFile[]): JsonMap | undefined {
  return jsonFields(files.find(({ path }) => path === 'package.json')?.text ?? '');
}

/** The manifest of a folder while a build is changing it. */
export function between(before: Manifest, after: Manifest): Manifest {
  const paths = [...before.keys(), ...after.keys()];
  return new Map(
    paths.map((path) => [path, [...new Set([...(before.get(path) ?? []), ...(after.get(path) ?? [])])]]),
  );
}

/** The text of the manifest file. `packageFields` are the fields of package.json that the build writes. */
export function manifestText(manifest: Manifest, packageFields: JsonMap | undefined): Written<'json'> {
  const note =
    'Files that the last build wrote, with the SHA-256 of each, and its values in package.json. A build replaces and removes only these.';
  const entries = [...manifest].sort(([a], [b]) => (a < b ? -1 : 1));
  const files = Object.fromEntries(
    entries.map(([path, hashes]) => [path, hashes.length === 1 ? hashes[0] : hashes]),
  );
  return json.file({ note, files, ...(packageFields && { packageJson: packageFields }) });
}

/** Reads a manifest file of any origin, ignoring entries that builds cannot have written. */
export function readManifest(text: string | undefined): Manifest {
  return new Map(
    entriesOf(text).flatMap(([path, written]): [string, string[]][] => {
      const hashes = [written].flat().filter((hash) => typeof hash === 'string');
      return isBelow(path) && isOfBuilds(path) && hashes.length > 0 ? [[path, hashes]] : [];
    }),
  );
}

/** The fields of package.json that the last build wrote; undefined for folders of earlier versions. */
export function readPackageFields(text: string | undefined): JsonMap | undefined {
  const fields = jsonFields(text ?? '')?.['packageJson'];
  return isJsonMap(fields) ? fields : undefined;
}

function entriesOf(text = '{}'): [string, unknown][] {
  const files = jsonFields(text)?.['files'];
  return isJsonMap(files) ? Object.entries(files) : [];
}

/** The fields of a JSON file, which may begin with a byte order mark; undefined if it is not a JSON object. */
export function jsonFields(text: string): JsonMap | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isJsonMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Files at the top level of a service's folder. */
const topFiles = wordSet(`
  README.md package.json package-lock.json tsconfig.json Dockerfile .dockerignore .gitattributes .gitignore .env.example
`);

/** `runtime` and `src/runtime` were written by earlier versions. */
const ofFolders =
  /^(?:src\/(?:operations\/|runtime\/.*)?[\w-]+\.ts|runtime\/(?:LICENSE|.+\.(?:ts|json))|vendor\/apikiln-runtime-[\w.-]+\.tgz|kubernetes\/(?:base\/.+|secrets\.example)\.yaml)$/;

/**
 * Whether builds may write this path. An edited manifest could list any other file of the folder with its hash, and a build would then
 * remove that file. User modules are in `src` too.
 */
function isOfBuilds(path: string): boolean {
  if (/^src\/(?:app|middleware)\.ts$|(?:^|\/)node_modules\//.test(path)) return false;
  return topFiles.has(path) || ofFolders.test(path);
}

/** Whether the path refers to a file inside the folder, in the notation of builds. */
function isBelow(path: string): boolean {
  return (
    !posix.isAbsolute(path) &&
    posix.normalize(path) === path &&
    !/^\.\.?(?:\/|$)|\/$|[\\\0:]/.test(path) &&
    path !== ''
  );
}

/** Whether a build left this text at the path, ignoring versions in the runtime's package.json. */
export function isAsWritten(path: string, text: string, hashes: readonly string[]): boolean {
  return hashes.includes(hash(text, path)) || (path === copiedRuntime && hashes.includes(looseHash(text)));
}

/** The hash of a package.json without versions, which users raise after security advisories. */
function looseHash(text: string): string {
  return hash(text.replaceAll(/"[~^]?\d+\.\d+\.\d+[^"]*"/g, '""'), copiedRuntime);
}

/** The hexadecimal SHA-256 of a file with this text. */
export function hash(text: string, path: string): string {
  return createHash('sha256')
    .update(text, isArchive(path) ? 'latin1' : 'utf8')
    .digest('hex');
}
