/** Runs `apikiln doctor` on a test server. */
import { noColours } from '../../compiler/notation/screen-writer.js';
import { testTerminal } from '../helpers/test-terminal.js';
import { doctor } from '../../compiler/tools/commands/doctor.js';
import type { AttachedServer } from '../helpers/database-server.js';

interface Examined {
  readonly status: number;
  readonly printed: string;
}

/** The output and exit status of `apikiln doctor` for a database. */
export async function examine(
  database: string,
  environment: Readonly<Record<string, string>>,
  format: 'text' | 'json' = 'json',
  replica?: string,
): Promise<Examined> {
  const lines: string[] = [];
  const terminal = testTerminal('/', (text) => void lines.push(text.trimEnd()), undefined, noColours);
  const status = await doctor(
    { database, format, ...(replica === undefined ? {} : { replica }) },
    terminal,
    environment,
  );
  return { status, printed: lines.join('\n') };
}

export function accountOf({ user, password }: AttachedServer): Record<string, string> {
  return { DATASOURCE_URL_USER: user, DATASOURCE_URL_PASSWORD: password };
}

/** A database in the output of `--format json`. */
export interface Examination {
  readonly version: string;
  readonly findings: readonly { promise: string; holds: boolean; detail?: string }[];
}
