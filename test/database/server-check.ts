/** Configurations of single statements, checked against database servers. */
import { testTerminal } from '../helpers/test-terminal.js';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { runCommandLine } from '../../compiler/tools/commands/command-line.js';
import type { AttachedServer } from '../helpers/database-server.js';

/** A statement in a separate operation; `read` is the part of its rows read by the response. */
export interface Single {
  readonly sql: string;
  readonly datasource?: string;
  readonly type?: 'READ' | 'UPDATE';
  readonly read?: string;
  readonly exceptions?: readonly object[];
}

/** A configuration whose datasources have the service's URLs, which are not reachable. */
export function configOf(singles: readonly Single[], kinds: Readonly<Record<string, string>>): string {
  const operations = Object.fromEntries(
    singles.map(
      ({ sql, datasource = Object.keys(kinds)[0] ?? '', type = 'READ', read = '$', exceptions }, index) => [
        `POST /o${index}/{id}`,
        {
          fulfillments: [
            {
              ...{ name: 'row', type, datasource, instructions: [{ query: sql }] },
              ...(exceptions === undefined ? {} : { exceptions }),
            },
          ],
          responses: [
            {
              name: 'ok',
              default: true,
              statuscode: 200,
              schema: { id: 'PARAM(id)', row: `VALUE(row, ${read})` },
            },
          ],
        },
      ],
    ),
  );
  const datasources = Object.fromEntries(
    Object.entries(kinds).map(([name, kind], index) => [
      name,
      // Two datasources with the same URL would be one database.
      { type: 'db', url: `jdbc:${kind}://db.example:1/service${index === 0 ? '' : index}` },
    ]),
  );
  return stringify({ specification: '1.0', operations, datasources }, { lineWidth: 0 });
}

export class ServerChecks {
  readonly folder = mkdtempSync(join(tmpdir(), 'apikiln-servers-'));
  #before: string | undefined;

  /** Until `remove`, results are cached in a separate folder. */
  constructor() {
    this.#before = process.env['XDG_CACHE_HOME'];
    process.env['XDG_CACHE_HOME'] = join(this.folder, 'cache');
  }

  remove(): void {
    if (this.#before === undefined) delete process.env['XDG_CACHE_HOME'];
    else process.env['XDG_CACHE_HOME'] = this.#before;
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Writes a file next to the configuration. */
  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  /** The exit status and the complete output of `apikiln check`. */
  async check(
    singles: readonly Single[],
    kinds: Readonly<Record<string, string>>,
    ...args: readonly string[]
  ): Promise<{ status: number; text: string }> {
    writeFileSync(join(this.folder, 'config.yaml'), configOf(singles, kinds));
    const lines: string[] = [];
    const put = (text: string): void => {
      lines.push(text);
    };
    const status = await runCommandLine(['check', ...args], testTerminal(this.folder, put));
    return { status, text: lines.join('').trimEnd() };
  }

  /** The names of the cached files. */
  kept(): string[] {
    return readdirSync(join(this.folder, 'cache', 'apikiln', 'schemas')).sort();
  }
}

/** A URL with user and password, as set in an environment. */
export function urlOf(
  { host, port, user, password }: Pick<AttachedServer, 'host' | 'port' | 'user' | 'password'>,
  scheme: string,
  database: string,
): string {
  return `${scheme}://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
}
