/** The committed output of service fixtures. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { GeneratedFile } from '../../compiler/generate/emit/module/file.js';
import { isArchive } from '../../compiler/generate/write/archive.js';
import type { ServiceFixture } from './service-fixture.js';

/** The committed files of a fixture, by path. */
export function committedFiles(files: readonly GeneratedFile[]): Map<string, string> {
  return new Map(files.filter(isCommitted).map(({ path, text }) => [path, withoutDigest(text)]));
}

/** Compares the output of a fixture with the committed output exactly. */
export function expectCommitted(
  { expected: folders }: ServiceFixture,
  files: readonly GeneratedFile[],
): void {
  const given = committedFiles(files);
  const expected = readLayers(folders);
  expect([...given.keys()].sort()).toEqual([...expected.keys()].sort());
  for (const [path, text] of given) expect(text, path).toBe(expected.get(path));
}

/** Excludes secrets, and the runtime's tarball, which is the same in all services. */
function isCommitted({ path }: GeneratedFile): boolean {
  return path !== '.env' && path !== 'package-lock.json' && !isArchive(path);
}

/** The name of the tarball changes with every change of the runtime. */
function withoutDigest(text: string): string {
  return text.replaceAll(/(?<=vendor\/apikiln-runtime-[\d.]+-)[\da-f]{8}(?=\.tgz)/g, '<digest>');
}

/** The files of all folders; files in later folders replace files with the same path. */
export function readLayers(folders: readonly string[]): Map<string, string> {
  return new Map(folders.flatMap((folder) => [...readFolder(folder)]));
}

function readFolder(folder: string): Map<string, string> {
  if (!existsSync(folder)) return new Map();
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
}
