/** A temporary folder with a service that is ready to run on this tool's packages, without installation or network access. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { GeneratedFile } from '../../../../generate/emit/module/file.js';
import { CommandError, exitStatus } from '../output/exit-status.js';
import { reason } from '../files/read-text.js';
import { linkOwnPackages, linkPackages } from './link-packages.js';
import type { OwnFiles } from '../owner/own-files.js';
import { transpile, transpileUserCode } from '../../../typescript/transpile.js';

/** Writes the folder, including user files, readable only by the current user, and returns its path. Throws a CommandError. */
export async function writeServeFolder(
  generated: readonly GeneratedFile[],
  packageFolder: string,
  own: OwnFiles = { folder: undefined, files: [] },
): Promise<string> {
  const replaced = new Set(own.files.map(({ path }) => path));
  const files = generated.filter(({ path }) => !replaced.has(path));
  const kept = files.filter(({ path }) => path === '.env' || path === 'package.json');
  const modules = [...(await transpile(files)), ...(await transpileUserCode(own.files))];
  try {
    // No `await` from here on: a signal that ends the process in between would leave the folder behind.
    const folder = mkdtempSync(join(tmpdir(), 'apikiln-'));
    try {
      for (const { path, text } of [...kept, ...modules]) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text, { mode: 0o600 });
      }
      linkPackages(folder, kept.find(({ path }) => path === 'package.json')?.text ?? '{}', packageFolder);
      if (own.folder !== undefined) linkOwnPackages(folder, own.folder);
      return folder;
    } catch (error) {
      removeServeFolder(folder);
      throw error;
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new CommandError(exitStatus.environment, `${tmpdir()} cannot be written: ${reason(error)}.`);
  }
}

export function removeServeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
