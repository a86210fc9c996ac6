/** `apikiln doctor`: checks everything that services expect from a database, and prints the results. */
import { json } from '../../notation/json-writer.js';
import { screen } from '../../notation/screen-writer.js';
import { DatabaseError } from '../../analyze/database/server.js';
import { dialectOf, replicaSettings, serverSettings } from '../../analyze/database/server-url.js';
import { examineDatabase, type Examination, type Finding } from '../doctor/examine-database.js';
import { exitStatus } from './shared/output/exit-status.js';
import type { Terminal } from './shared/output/terminal.js';
import { ofDatabase } from './shared/files/find-schemas.js';

export interface DoctorOptions {
  readonly database: string;
  readonly replica?: string;
  readonly format: 'text' | 'json';
}

export async function doctor(
  { database, replica, format }: DoctorOptions,
  terminal: Terminal,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const examination = await examined(database, replica, terminal, environment);
  terminal.stage?.(undefined);
  const isMissing = ({ probe, holds }: Finding): boolean => !holds && probe.need === 'required';
  if (format === 'json') terminal.print(screen.document(json.value(documentOf(examination), 2)));
  else printText(examination, terminal);
  return allFindings(examination).some(isMissing) ? exitStatus.errors : exitStatus.fine;
}

async function examined(
  database: string,
  replicaUrl: string | undefined,
  terminal: Terminal,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Examination> {
  try {
    const dialect = dialectOf(database, environment);
    const asked = { name: 'url', dialect, schema: undefined };
    const { settings } = serverSettings(asked, database, environment);
    const replica =
      replicaUrl === undefined
        ? undefined
        : replicaSettings(dialect, settings, database, replicaUrl, environment);
    return await examineDatabase({ dialect, settings, replica }, (promise) => terminal.stage?.(promise));
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    throw ofDatabase(error);
  }
}

/** The findings, including those of the replica. */
function allFindings({ findings, replica }: Examination): readonly Finding[] {
  return [...findings, ...(replica?.findings ?? [])];
}

function printText(examination: Examination, terminal: Terminal): void {
  const { version, replica } = examination;
  terminal.print(screen.text(version));
  printFindings(examination, terminal);
  if (replica !== undefined) {
    terminal.print(screen`\nIts replica: ${screen.text(replica.version)}`);
    printFindings(replica, terminal);
  }
  terminal.print(screen`\n${screen.text(summary(allFindings(examination)))}`);
}

function printFindings({ findings, warnings }: Examination, { print, colours }: Terminal): void {
  print(screen``);
  for (const { probe, holds, detail = '' } of findings) {
    const { promise, otherwise, need } = probe;
    const missing = need === 'optional' ? colours.yellow(screen`without  `) : colours.red(screen`differs  `);
    const seen = holds && detail !== '' ? screen`, ${screen.text(detail)}` : screen``;
    print(screen`${holds ? colours.bold(screen`holds    `) : missing}${screen.text(promise)}${seen}`);
    if (!holds) print(screen`         ${screen.text(detail)}; so ${screen.text(otherwise)}`);
  }
  for (const warning of warnings) print(screen`\n${screen.text(warning)}`);
}

function summary(findings: readonly Finding[]): string {
  const missing = findings.filter(({ holds }) => !holds);
  const required = missing.filter(({ probe }) => probe.need === 'required').length;
  const all = findings.length;
  if (missing.length === 0) return `All ${all} promises hold.`;
  const rest = `${all - missing.length} of ${all} promises hold`;
  if (required === 0) return `${rest}; services do without the others.`;
  return `${rest}; ${required} that services need ${required === 1 ? 'does' : 'do'} not.`;
}

function documentOf({ version, findings, warnings, replica }: Examination): unknown {
  return {
    version,
    findings: findings.map(({ probe: { promise, otherwise, need }, holds, detail }) => ({
      ...{ promise, need, holds },
      ...(detail === undefined ? {} : { detail }),
      ...(holds ? {} : { otherwise }),
    })),
    warnings,
    ...(replica === undefined ? {} : { replica: documentOf(replica) }),
  };
}
