/** A temporary folder with versions of a service, ready to run: what they share is written once, and only what changed is translated. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { KeptFiles, nameFor } from '../database/kept-files.js';
import type { GeneratedFile } from '../emit/file.js';
import type { ProcessOptions } from '../dev/service-process.js';
import { CommandError, exitStatus } from './exit-status.js';
import { reason } from './read-text.js';
import { linkPackages } from './serve-folder.js';

/** Files of the service's owner: in the folder that `build` writes to. */
export interface OwnFiles {
  /** The folder of the service; undefined where there is none. */
  readonly folder: string | undefined;
  /** Below `src`. */
  readonly files: readonly GeneratedFile[];
}

export interface WrittenVersion {
  readonly folder: string;
  /** The URL of its main module. */
  readonly main: string;
  readonly process: ProcessOptions;
  /** Differs where a process that waits for a version cannot run this one. */
  readonly base: string;
}

type TranslatedFile = Pick<GeneratedFile, 'path' | 'text'>;

export class DevFolder {
  readonly #root: string;
  readonly #host: string;
  readonly #translated = new Map<string, readonly TranslatedFile[]>();
  readonly #kept = KeptFiles.ofUser('translated', process.env);
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
    write(this.#host, host);
  }

  /** `env`: the text of its `.env`. */
  async write(files: readonly GeneratedFile[], own: OwnFiles, env: string): Promise<WrittenVersion> {
    const isShared = ({ path }: GeneratedFile): boolean =>
      path.startsWith('runtime/') || path === 'package.json';
    const shared = files.filter(isShared);
    const base = await this.#base(shared, own.folder);
    const folder = join(base, String((this.#count += 1)));
    const replaced = new Set(own.files.map(({ path }) => path));
    const sources = [
      ...files.filter(({ path }) => path.startsWith('src/') && path.endsWith('.ts') && !replaced.has(path)),
      ...own.files,
    ];
    for (const { path, text } of await this.#translate(sources)) write(join(folder, path), text);
    write(join(folder, '.env'), env);
    return {
      folder,
      main: pathToFileURL(join(folder, 'dist/main.js')).href,
      process: { host: this.#host, shared: pathToFileURL(join(base, 'shared.mjs')).href },
      base,
    };
  }

  remove(folder = this.#root): void {
    rmSync(folder, { recursive: true, force: true });
  }

  /** The folder with what versions share: packages, and the runtime with those parts that the service needs. */
  async #base(shared: readonly GeneratedFile[], ownFolder: string | undefined): Promise<string> {
    const hash = createHash('sha256');
    for (const { path, text } of shared) hash.update(`${path}\0${text}\0`);
    const base = join(this.#root, hash.digest('hex').slice(0, 16));
    if (existsSync(base)) return base;
    const manifests = shared.filter(({ path }) => path.endsWith('package.json'));
    for (const { path, text } of [...manifests, ...(await this.#translateShared(shared))])
      write(join(base, path), text);
    linkPackages(base, manifests, this.packageFolder);
    if (ownFolder !== undefined) linkOwnPackages(base, ownFolder);
    const { exports = {} } = JSON.parse(
      manifests.find(({ path }) => path === 'runtime/package.json')?.text ?? '{}',
    ) as { exports?: Readonly<Record<string, unknown>> };
    const imports = Object.keys(exports).map((name) => `import '@apikiln/runtime${name.slice(1)}';\n`);
    write(join(base, 'shared.mjs'), `${imports.join('')}import 'express';\n`);
    return base;
  }

  /** The runtime is the same for many services: what was translated once is kept. */
  async #translateShared(files: readonly GeneratedFile[]): Promise<TranslatedFile[]> {
    const name = nameFor('translated, format 1', ...files.flatMap(({ path, text }) => [path, text]));
    const kept = this.#kept.read(name)?.toString('utf8');
    if (kept !== undefined) {
      try {
        return JSON.parse(kept) as TranslatedFile[];
      } catch {
        // Written by something else.
      }
    }
    const translated = await this.#translate(files);
    this.#kept.write(name, JSON.stringify(translated));
    return translated;
  }

  async #translate(files: readonly GeneratedFile[]): Promise<TranslatedFile[]> {
    // Loaded here, because it brings the TypeScript compiler.
    const { transpile } = await import('../emit/transpile.js');
    return files.flatMap((file) => {
      const key = `${file.path}\0${file.text}`;
      const known = this.#translated.get(key) ?? transpile([file]);
      this.#translated.set(key, known);
      return known;
    });
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o600 });
}

/** What the owner has installed beside the packages of every service. */
function linkOwnPackages(base: string, ownFolder: string): void {
  const from = join(ownFolder, 'node_modules');
  if (!existsSync(from)) return;
  const names = readdirSync(from).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(from, name)).map((below) => `${name}/${below}`) : [name],
  );
  for (const name of names) {
    const link = join(base, 'node_modules', name);
    if (name.startsWith('.') || existsSync(link)) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(from, name), link, 'junction');
  }
}
