/** A temporary folder with runnable versions of a service: shared files are written once, and only changed files are transpiled. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { GeneratedFile } from '../../../generate/emit/module/file.js';
import { importsOf, packageOf } from '../../../generate/emit/module/imports.js';
import { runtimePackage } from '../../../generate/plan/names/runtime-symbols.js';
import type { ProcessOptions } from '../../dev/service-process.js';
import { transpile, transpileUserCode, type TranspiledFile } from '../../typescript/transpile.js';
import { CommandError, exitStatus } from '../shared/output/exit-status.js';
import { linkOwnPackages, linkPackages } from '../shared/folder/link-packages.js';
import type { OwnFiles } from '../shared/owner/own-files.js';
import { reason } from '../shared/files/read-text.js';

export interface WrittenVersion {
  readonly folder: string;
  /** URL of the main module. */
  readonly main: string;
  /** URL of the module with the timers; undefined if there are no timers. */
  readonly timers: string | undefined;
  readonly process: ProcessOptions;
  /** A waiting process can only run versions with the same base. */
  readonly base: string;
}

export class DevFolder {
  readonly #root: string;
  readonly #host: string;
  #transpiled: ReadonlyMap<string, readonly TranspiledFile[]> = new Map<string, never>();
  /** Existing folders. */
  readonly #folders = new Set<string>();
  /** Base folders by the shared parts of versions. */
  readonly #bases = new Map<string, string>();
  #isRemoved = false;
  #count = 0;

  /** Throws a CommandError. */
  constructor(
    private readonly packageFolder: string,
    host: string,
  ) {
    try {
      this.#root = mkdtempSync(join(tmpdir(), 'apikiln-dev-'));
    } catch (error) {
      throw new CommandError(exitStatus.environment, `${tmpdir()} cannot be written: ${reason(error)}.`);
    }
    this.#host = join(this.#root, 'host.mjs');
    this.#write(this.#host, host);
  }

  /** `env` is the text of `.env`. */
  async write(files: readonly GeneratedFile[], own: OwnFiles, env: string): Promise<WrittenVersion> {
    const manifest = files.find(({ path }) => path === 'package.json')?.text ?? '{}';
    const base = this.#base({ manifest, parts: importedRuntime(files) }, own.folder);
    const folder = join(base, String((this.#count += 1)));
    const replaced = new Set(own.files.map(({ path }) => path));
    const sources = [
      ...files.filter(({ path }) => path.startsWith('src/') && path.endsWith('.ts') && !replaced.has(path)),
      ...own.files,
    ];
    // Without source maps: nobody reads generated modules here, and a map for each of them would slow down every start.
    const transpiled = await this.#transpile(sources, own);
    for (const { path, text } of transpiled) this.#write(join(folder, path), text);
    this.#write(join(folder, '.env'), env);
    const urlOf = (path: string): string => pathToFileURL(join(folder, path)).href;
    return {
      folder,
      main: urlOf('dist/main.js'),
      timers: files.some(({ path }) => path === 'src/schedule.ts') ? urlOf('dist/schedule.js') : undefined,
      process: { host: this.#host, shared: pathToFileURL(join(base, 'shared.mjs')).href },
      base,
    };
  }

  /** Removes the folder of one version. */
  removeVersion({ folder }: WrittenVersion): void {
    rmSync(folder, { recursive: true, force: true });
  }

  /** Removes the whole folder; later writes are ignored. */
  remove(): void {
    this.#isRemoved = true;
    rmSync(this.#root, { recursive: true, force: true });
  }

  /** The folder with the shared parts of versions: packages, which a process loads before it receives the service. */
  #base(shared: Shared, ownFolder: string | undefined): string {
    const key = JSON.stringify(shared);
    const known = this.#bases.get(key);
    if (known !== undefined) return known;
    const base = join(this.#root, `base-${this.#bases.size + 1}`);
    this.#write(join(base, 'package.json'), shared.manifest);
    linkPackages(base, shared.manifest, this.packageFolder);
    if (ownFolder !== undefined) linkOwnPackages(base, ownFolder);
    const imports = shared.parts.map((name) => `import '${name}';\n`);
    const recorder = `export { record } from '${runtimePackage}/trace';\n`;
    this.#write(join(base, 'shared.mjs'), `${imports.join('')}import 'express';\n${recorder}`);
    this.#bases.set(key, base);
    return base;
  }

  /** Transpiles the files that no earlier version contained. */
  async #transpile(files: readonly GeneratedFile[], own: OwnFiles): Promise<TranspiledFile[]> {
    const keyOf = ({ path, text }: GeneratedFile): string => `${path}\0${text}`;
    const now = new Map<string, readonly TranspiledFile[]>();
    for (const file of files) {
      const isOwn = own.files.includes(file);
      const transpiled =
        this.#transpiled.get(keyOf(file)) ??
        (await (isOwn ? transpileUserCode([file]) : transpile([file], false)));
      now.set(keyOf(file), isOwn ? transpiled.map((written) => withSource(written, file, own)) : transpiled);
    }
    this.#transpiled = now;
    return [...now.values()].flat();
  }

  #write(path: string, text: string): void {
    if (this.#isRemoved) throw new Error('The folder is removed.');
    const below = dirname(path);
    if (!this.#folders.has(below)) mkdirSync(below, { recursive: true });
    this.#folders.add(below);
    writeFileSync(path, text, { mode: 0o600 });
  }
}

/** Most files are identical between builds, so the comparison takes hardly any time. */
export function areSame(files: readonly GeneratedFile[], others: readonly GeneratedFile[]): boolean {
  return (
    files.length === others.length &&
    files.every(({ path, text }, index) => path === others[index]?.path && text === others[index].text)
  );
}

/** The parts that versions share. */
interface Shared {
  /** The text of package.json. */
  readonly manifest: string;
  /** Runtime parts that the service imports. */
  readonly parts: readonly string[];
}

/**
 * Runtime parts imported by generated modules. Imports come before the first blank line; later lines may contain strings from the
 * configuration.
 */
function importedRuntime(files: readonly GeneratedFile[]): string[] {
  const heads = files
    .filter(({ path }) => path.startsWith('src/') && path.endsWith('.ts'))
    .map(({ text }) => text.slice(0, text.indexOf('\n\n')));
  const names = heads.flatMap(importsOf).filter((name) => packageOf(name) === runtimePackage);
  return [...new Set(names)].sort();
}

/** A source map that refers to the user's file, so that stack traces show it. */
function withSource(written: TranspiledFile, { path }: GeneratedFile, { folder }: OwnFiles): TranspiledFile {
  if (folder === undefined || !written.path.endsWith('.map')) return written;
  const sourceRoot = `${pathToFileURL(join(folder, dirname(path))).href}/`;
  return {
    path: written.path,
    text: JSON.stringify({ ...(JSON.parse(written.text) as object), sourceRoot }),
  };
}
