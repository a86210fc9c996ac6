/** Builds all measured programs in a temporary folder: the compiler, the generated services and the hand-written servers. */
import { spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ts } from 'ts-morph';
import { repository } from '../helpers/service-fixture.js';
import { memoryOf } from './server-process.js';
import { linkRuntime } from '../tasks/link-runtime.mjs';

const bench = join(repository, 'test/bench');
/** The TypeScript compiler used by generated services. */
export const typescript = join(repository, 'node_modules/typescript/bin/tsc');

/** The built compiler, as users run it. */
export const apikiln = join(repository, 'dist/compiler/cli.js');

export class Workshop {
  readonly folder = mkdtempSync(join(tmpdir(), 'apikiln-bench-'));
  readonly #built = new Map<string, Promise<string>>();

  /** `before` is prefixed to every build command, because builds need not run on one core. */
  constructor(
    private readonly log: (text: string) => void,
    private readonly before: readonly string[],
  ) {
    process.on('exit', () => {
      rmSync(this.folder, { recursive: true, force: true });
    });
    // Services and hand-written servers use the packages, and therefore the versions, of this repository.
    symlinkSync(join(repository, 'node_modules'), join(this.folder, 'node_modules'));
    writeFileSync(join(this.folder, 'package.json'), '{ "type": "module" }\n');
  }

  /** Writes a configuration and returns its path. */
  writeConfig(name: string, text: string): string {
    const folder = join(this.folder, 'configs', name);
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'config.yaml');
    writeFileSync(path, text);
    return path;
  }

  /** The path of a configuration in test/bench/configs. */
  configPath(name: string): string {
    return join(bench, 'configs', name);
  }

  /** Compiles a configuration and its service, once for each name; returns the path of the main module. */
  service(name: string, config: string): Promise<string> {
    return this.once(`service ${name}`, async () => {
      await this.compiler();
      const out = join(this.folder, 'services', name);
      await runNode([apikiln, 'build', config, '--out', out, '--quiet'], this.before);
      linkRuntime(out);
      await runNode([typescript, '--project', out], this.before);
      return join(out, 'dist/main.js');
    });
  }

  /** The path of a hand-written server. */
  async peer(name: string): Promise<string> {
    await this.once('peers', () => {
      const folder = join(this.folder, 'peers');
      mkdirSync(folder);
      for (const file of readdirSync(join(bench, 'peers')).filter((name) => name.endsWith('.ts')))
        writeFileSync(join(folder, file.replace(/\.ts$/, '.js')), plainText(join(bench, 'peers', file)));
      return Promise.resolve(folder);
    });
    return join(this.folder, 'peers', `${name}.js`);
  }

  /** Builds the compiler to dist, as `npm run build` does. */
  async compiler(): Promise<void> {
    await this.once('compiler', async () => {
      await runNode([join(repository, 'compiler/build.mjs')], this.before);
      return apikiln;
    });
  }

  private once(what: string, build: () => Promise<string>): Promise<string> {
    const found = this.#built.get(what);
    if (found !== undefined) return found;
    this.log(`Building: ${what} …`);
    const built = build();
    this.#built.set(what, built);
    return built;
  }
}

/**
 * Runs a JavaScript program to completion, with `before` prefixed to the command; throws its output if it fails. Returns peak resident
 * memory in bytes; NaN if the system does not report it.
 */
export async function runNode(args: readonly string[], before: readonly string[] = []): Promise<number> {
  const [program = '', ...rest] = [...before, process.execPath, ...args];
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
  let peak = NaN;
  const look = setInterval(() => {
    const now = memoryOf(child.pid ?? 0, 'VmHWM');
    if (!Number.isNaN(now)) peak = now;
  }, 50);
  const status = await new Promise((resolve, reject) => {
    child.once('close', resolve);
    child.once('error', reject);
  });
  clearInterval(look);
  if (status !== 0) throw new Error(`${args.join(' ')} failed:\n${printed}`);
  return peak;
}

/** The module without its types, because hand-written servers run as plain Node programs. The repository's type check covers them. */
function plainText(path: string): string {
  return ts.transpileModule(readFileSync(path, 'utf8'), {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  }).outputText;
}
