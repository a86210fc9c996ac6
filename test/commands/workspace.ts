/** A separate folder for each test, and the commands run in it as on the command line. */
import { type Terminal } from '../../compiler/tools/commands/shared/output/terminal.js';
import { testTerminal } from '../helpers/test-terminal.js';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build, type BuildOptions } from '../../compiler/tools/commands/build.js';
import { check } from '../../compiler/tools/commands/check.js';
import { runCommandLine } from '../../compiler/tools/commands/command-line.js';
import { CommandError } from '../../compiler/tools/commands/shared/output/exit-status.js';
import type { CompilationOptions } from '../../compiler/tools/commands/shared/run-compilation.js';

/** The result of a command. */
export interface Outcome {
  readonly status: number;
  readonly stdout: string;
  /** Standard error without the note. */
  readonly stderr: string;
  /** The line reporting that SQL was not checked against a schema; most tests have no schema. */
  readonly note?: string;
}

/** The line about databases without a schema. */
export const noteOfUnchecked = /^The SQL of .* was not checked against a schema.*\n/m;

export class Workspace {
  readonly folder = mkdtempSync(join(tmpdir(), 'apikiln-commands-'));

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  write(path: string, text: string | Buffer): void {
    mkdirSync(dirname(this.path(path)), { recursive: true });
    writeFileSync(this.path(path), text);
  }

  removeFile(path: string): void {
    rmSync(this.path(path));
  }

  read(path: string): string {
    return readFileSync(this.path(path), 'utf8');
  }

  exists(path: string): boolean {
    return existsSync(this.path(path));
  }

  /** The permission bits of a file. */
  mode(path: string): number {
    return lstatSync(this.path(path)).mode & 0o777;
  }

  /** The content of every file below a folder; links are shown as links. */
  files(below = '.'): Record<string, string> {
    if (!this.exists(below)) return {};
    const entries = readdirSync(this.path(below), { recursive: true, withFileTypes: true });
    return Object.fromEntries(
      entries
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()
        .map((path) => [path.slice(this.path(below).length + 1), entryText(path)]),
    );
  }

  build(options: Partial<BuildOptions> = {}, config?: string): Promise<Outcome> {
    return this.#run((terminal) => build(config, { format: 'text', out: 'out', ...options }, terminal));
  }

  check(options: Partial<CompilationOptions> = {}, config?: string): Promise<Outcome> {
    return this.#run((terminal) => check(config, { format: 'text', ...options }, terminal));
  }

  /** Runs `apikiln …` in this folder. */
  run(...args: string[]): Promise<Outcome> {
    return this.#run((terminal) => runCommandLine(args, terminal));
  }

  async #run(command: (terminal: Terminal) => Promise<number>): Promise<Outcome> {
    let [stdout, stderr] = ['', ''];
    const terminal = testTerminal(
      this.folder,
      (text) => {
        stdout += text;
      },
      (text) => {
        stderr += text;
      },
    );
    try {
      const status = await command(terminal);
      const note = noteOfUnchecked.exec(stderr)?.[0];
      return { status, stdout, stderr: stderr.replace(noteOfUnchecked, ''), ...(note && { note }) };
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      return { status: error.status, stdout, stderr: `${stderr}${error.message}\n` };
    }
  }
}

function entryText(path: string): string {
  const stats = lstatSync(path);
  return stats.isFile() ? readFileSync(path, 'utf8') : 'no file';
}

/** A configuration with these operations; its password is `hunter2`. */
export function configuration(...names: string[]): string {
  return JSON.stringify({
    specification: '1.0',
    operations: Object.fromEntries(
      names.map((name) => [
        name,
        {
          fulfillments: [
            {
              name: 'news',
              type: 'READ',
              datasource: 'newsdb',
              instructions: [{ query: `SELECT '${name}'` }],
            },
          ],
          responses: [{ name: 'ok', default: true, statuscode: 200, schema: { a: 'VALUE(news, $.a)' } }],
        },
      ]),
    ),
    datasources: {
      newsdb: { type: 'db', url: 'jdbc:postgresql://localhost/news', user: 'me', password: 'hunter2' },
    },
  });
}

/** A configuration with one error and two warnings; it contains the password `hunter2`. */
export const wrongConfiguration = `specification: 1.0
operations:
  'GET /news':
    fulfillments:
      - name: news
        type: READ
        datasource: newsdb
        instructions:
          - query: SELECT :[VALUE(nwes, $.id)]
    responses:
      - name: ok
        default: true
        statuscode: 200
      - name: never
        default: false
        statuscode: 201
datasources:
  newsdb:
    type: db
    url: jdbc:postgresql://me:hunter2@localhost/news
    password: hunter2
`;

/** The configuration without the error, but with a warning. */
export const warningConfiguration = wrongConfiguration.replace(':[VALUE(nwes, $.id)]', '1');
