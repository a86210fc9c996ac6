/** A database on this machine or a temporary one on a server, for a service that runs here: with its schema, and with its rows again whenever somebody asks. */

/** How a service reaches it: the values of DATASOURCE_<NAME>_URL, _USER, _PASSWORD and _POOL_MAX. */
export interface LocalConnection {
  /** A JDBC URL. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** The number of connections, where it cannot have more. */
  readonly poolMax?: number;
}

export interface LocalDatabase {
  readonly connection: LocalConnection;
  /** The role for which no policies hold, where the account of the connection is an ordinary one. */
  readonly ownerRole?: string;
  /** Remembers the rows that its tables have now, and the numbers of its sequences. */
  keep(): Promise<void>;
  /** Restores the tables that have changed since their rows were stored, and the numbers of all sequences. */
  restore(): Promise<void>;
  /** Removes all rows of all tables, until `restore`. */
  clear(): Promise<void>;
  /** Ends it; a temporary database is dropped. */
  stop(): Promise<void>;
}

/** Why there is no local database; the message is for the user and contains no secret. */
export class LocalDatabaseError extends Error {
  override readonly name = 'LocalDatabaseError';

  constructor(
    /** A schema or data that the database refuses, or a server that cannot be used. */
    readonly kind: 'refused' | 'unreachable',
    message: string,
  ) {
    super(message);
  }
}

/** The settings by which a service finds a datasource. `name` in upper snake case. */
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
