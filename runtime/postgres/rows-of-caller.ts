/** Restricts rows to the caller on PostgreSQL: settings and a role for each statement, in one transaction with the statement. */
import type { Call } from '../handler/call.js';
import { textOf, type Json, type Row } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import { DatabaseFailure, type Failure } from '../sql/failure.js';
import type { QueryContext, RowContext } from '../sql/connection-settings.js';

export interface RowsOfCaller {
  /** Values of the caller, and constants, by the setting name that policies read: `app.tenant`. */
  readonly settings?: Readonly<Record<string, (call: Call) => Json>>;
  /** The role for all statements. */
  readonly role?: string;
}

/** Applies these settings before every statement. If a value is null, the statement does not run. */
export function rowsOfCaller({ settings = {}, role }: RowsOfCaller): RowContext {
  const ofRole = role === undefined ? [] : [role];
  const values = Object.entries(settings);
  const names = [...values.map(([name]) => name), ...ofRole.map(() => 'role')];
  const text = setting(names);
  return {
    of: (call) => ({
      text,
      values: [...values.map(([name, valueOf]) => settingText(name, valueOf(call))), ...ofRole],
    }),
    check: (run) =>
      checkPolicies(run, role === undefined ? undefined : { text: setting(['role']), values: [role] }),
  };
}

/** SQL that sets the settings until the end of the transaction. */
function setting(names: readonly string[]): string {
  const calls = names.map(
    (name, index) => `pg_catalog.set_config('${name.replaceAll("'", "''")}', $${index + 1}, true)`,
  );
  return `SELECT ${calls.join(', ')}`;
}

/** The string for a setting. Throws a ServiceError 403 for a value that a setting cannot hold. */
function settingText(name: string, value: Json): string {
  const text = textOf(value);
  if (value !== null && !text.includes('\0')) return text;
  const reason = value === null ? 'is null' : 'has the character U+0000';
  throw new ServiceError(403, 'Forbidden', {
    level: 'info',
    log: { reason: `the caller's value of '${name}' ${reason}` },
  });
}

/** Queries why policies do not apply to the current role. The last column is a table owned by the role. */
const exemptions = `
  SELECT r.rolname AS role, r.rolsuper AS is_superuser, r.rolbypassrls AS bypasses, (
    SELECT c.oid::pg_catalog.regclass::text FROM pg_catalog.pg_class AS c
    WHERE NOT c.relforcerowsecurity AND pg_catalog.pg_has_role(c.relowner, 'USAGE')
      AND EXISTS (SELECT FROM pg_catalog.pg_policy AS p WHERE p.polrelid = c.oid)
    ORDER BY 1 LIMIT 1
  ) AS owned
  FROM pg_catalog.pg_roles AS r WHERE r.rolname = current_user`;

async function checkPolicies(
  run: Parameters<RowContext['check']>[0],
  context: QueryContext | undefined,
): Promise<void> {
  const rows = await run(exemptions, context).catch((error: unknown) => {
    if (context === undefined || !(error instanceof DatabaseFailure) || error.failure.code === undefined)
      throw error;
    const role = context.values.join();
    throw new DatabaseFailure(unsafe(`the server refuses the role '${role}' to this user`, error.failure));
  });
  const reason = rows.map(exemptionOf).find((found) => found !== undefined);
  if (reason !== undefined) throw new DatabaseFailure(unsafe(reason));
}

function exemptionOf(row: Row): string | undefined {
  const role = `the role '${textOf(row['role'])}'`;
  const need = 'context and role of a datasource need one that policies hold for';
  if (row['is_superuser'] === true) return `${role} is a superuser; ${need}`;
  if (row['bypasses'] === true) return `${role} has BYPASSRLS; ${need}`;
  if (row['owned'] === null) return undefined;
  return `${role} owns the table ${textOf(row['owned'])}, whose policies do not hold for its owner without FORCE ROW LEVEL SECURITY`;
}

function unsafe(reason: string, { code }: Partial<Failure> = {}): Failure {
  return { kind: 'unavailable', reason, ...(code === undefined ? {} : { code }) };
}
