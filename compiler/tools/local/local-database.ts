/**
 * A local database, or a temporary one on a server, for a service that runs here: with its schema, and with rows that can be restored at
 * any time.
 */

/** How a service connects: the values of DATASOURCE_<NAME>_URL, _USER, _PASSWORD and _POOL_MAX. */
export interface LocalConnection {
  /** A JDBC URL. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** Maximum number of connections, if limited. */
  readonly poolMax?: number;
}

export interface LocalDatabase {
  readonly connection: LocalConnection;
  /** The role that bypasses policies, if the connection's account is an ordinary one. */
  readonly ownerRole?: string;
  /** Stores the current rows of the tables and the numbers of the sequences. */
  keep(): Promise<void>;
  /** Restores tables that have changed since their rows were stored, and the numbers of all sequences. */
  restore(): Promise<void>;
  /** Removes all rows of all tables, until `restore`. */
  clear(): Promise<void>;
  /** Stops the database; a temporary database is dropped. */
  stop(): Promise<void>;
}

/** Why there is no local database; the message is for the user and does not contain secrets. */
export class LocalDatabaseError extends Error {
  override readonly name = 'LocalDatabaseError';

  constructor(
    /** `refused`: the database rejects the schema or data; `unreachable`: the server cannot be used. */
    readonly kind: 'refused' | 'unreachable',
    message: string,
  ) {
    super(message);
  }
}

/** The settings through which a service finds a datasource. `name` is in upper snake case. */
export function datasourceSettings(
  name: string,
  { url, user, password, poolMax }: LocalConnection,
): Record<string, string> {
  return {
    [`DATASOURCE_${name}_URL`]: url,
    [`DATASOURCE_${name}_USER`]: user,
    [`DATASOURCE_${name}_PASSWORD`]: password,
    ...(poolMax === undefined ? {} : { [`DATASOURCE_${name}_POOL_MAX`]: String(poolMax) }),
  };
}
