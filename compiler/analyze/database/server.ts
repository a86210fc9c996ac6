/** Database servers that are asked about statements: nothing is run on them, and nothing changes there. */
import type { ConnectionSettings } from '../../../runtime/sql/connection-settings.js';
import type { KnownTable } from '../operations/statements/statement-descriptions.js';
import type { DescribeResult } from '../../read/sql/statement-description.js';

/** A connection to a server. */
export interface Server {
  /** All of the state that its results depend on, in one query. `texts`: the statements, some of which name other databases. */
  look(texts: readonly string[]): Promise<ServerState>;
  describe(texts: readonly string[]): Promise<ServerResult[]>;
  /** The rows of a question about its catalogue. */
  query(text: string): Promise<readonly (readonly unknown[])[]>;
  end(): Promise<void>;
}

/** Properties of a server. */
export interface ServerState {
  /** Differs whenever a result may differ; undefined if that is unknown, then no result is cached. */
  readonly fingerprint: string | undefined;
  /** The tables and views. */
  readonly tables: readonly KnownTable[];
  /** False where there may be tables that the user does not see. */
  readonly isWhole: boolean;
}

/** `unchecked`: why the server reports nothing of the statement, such as a missing privilege. */
export type ServerResult = DescribeResult | { readonly unchecked: string };

export interface ServerResults extends Omit<ServerState, 'fingerprint'> {
  /** By the texts of the statements. */
  readonly results: ReadonlyMap<string, ServerResult>;
}

/** Why a database cannot be asked: an invalid URL (`usage`), or a server that does not respond. The message contains no secret. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';

  constructor(
    readonly kind: 'usage' | 'unreachable',
    message: string,
  ) {
    super(message);
  }
}

/** A server that cannot be asked: which one, without user and password, and why. */
export function unreachable({ host, port, database }: ConnectionSettings, why: string): DatabaseError {
  const name = database === '' ? 'a database' : `the database '${database}'`;
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new DatabaseError('unreachable', `${name} at ${address} cannot be asked: ${why}.`);
}

/** A value of a catalogue as a text; empty for NULL. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : '';
}
