/** Database servers that describe statements. Statements are not executed, and nothing is changed. */
import type { ConnectionSettings } from '../../../runtime/sql/connection-settings.js';
import type { KnownTable } from '../operations/statements/statement-descriptions.js';
import type { DescribeResult } from '../../read/sql/statement-description.js';

/** A connection to a server. */
export interface Server {
  /** Reads all of the state that determines results. `texts` are the statements, which may refer to other databases. */
  look(texts: readonly string[]): Promise<ServerState>;
  describe(texts: readonly string[]): Promise<ServerResult[]>;
  /** The rows of a catalog query. */
  query(text: string): Promise<readonly (readonly unknown[])[]>;
  end(): Promise<void>;
}

/** The state of a server. */
export interface ServerState {
  /** Differs whenever a result may differ; undefined if this cannot be determined, so that no result is cached. */
  readonly fingerprint: string | undefined;
  /** All tables and views. */
  readonly tables: readonly KnownTable[];
  /** False if there may be tables that the user cannot see. */
  readonly isWhole: boolean;
}

/** `unchecked`: the reason why the server does not describe the statement, such as a missing privilege. */
export type ServerResult = DescribeResult | { readonly unchecked: string };

export interface ServerResults extends Omit<ServerState, 'fingerprint'> {
  /** Results by statement text. */
  readonly results: ReadonlyMap<string, ServerResult>;
}

/** The reason why a database cannot be used: an invalid URL (`usage`), or an unresponsive server. The message does not contain secrets. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';

  constructor(
    readonly kind: 'usage' | 'unreachable',
    message: string,
  ) {
    super(message);
  }
}

/** An error that names the server (without user and password) and the reason. */
export function unreachable({ host, port, database }: ConnectionSettings, why: string): DatabaseError {
  const name = database === '' ? 'a database' : `the database '${database}'`;
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new DatabaseError('unreachable', `${name} at ${address} cannot be asked: ${why}.`);
}

/** A catalog value as a string; empty for NULL. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : '';
}
