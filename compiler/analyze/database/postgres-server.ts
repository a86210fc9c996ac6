/** Connects to a PostgreSQL server in a read-only session that describes statements. */
import pg from 'pg';
import { createClient, socketOf } from '../../../runtime/postgres/driver-internals.js';
import { postgresFailure } from '../../../runtime/postgres/failure.js';
import { postgresConnection, zoneSettings } from '../../../runtime/postgres/session.js';
import type { ConnectionSettings } from '../../../runtime/sql/connection-settings.js';
import { describeStatements, refusalOf, type Connection, type RawResult } from './describe-postgres.js';
import { lookAtPostgres } from './postgres-state.js';
import { DatabaseError, unreachable, type Server, type ServerResult } from './server.js';

/** Timeout for a query or for the results of a batch, in milliseconds. */
const timeLimit = 60_000;

/** Connects to a PostgreSQL server. Throws a DatabaseError if it is unreachable. */
export async function connectPostgres(settings: ConnectionSettings): Promise<Server> {
  const client = await open(settings);
  const ask = <T>(question: Promise<T>): Promise<T> => inTime(question, client, settings);
  const connection: Connection = {
    describe: (texts) => ask(Promise.all(texts.map((text) => describeOne(client, text)))),
    query: async (text) => {
      const query = { text, rowMode: 'array', types: { getTypeParser: () => asText } };
      return (await ask(client.query<unknown[]>(query))).rows;
    },
  };
  return {
    look: () => lookAtPostgres(connection, settings),
    describe: async (texts) => (await describeStatements(texts, connection)).map(certain),
    query: (text) => connection.query(text),
    end: () => client.end(),
  };
}

function asText(text: string): string {
  return text;
}

async function open(settings: ConnectionSettings): Promise<pg.Client> {
  const { currentSchema, statementTimeout } = settings;
  const session: Record<string, string> = {
    default_transaction_read_only: 'on',
    statement_timeout: String(statementTimeout),
    ...(currentSchema === undefined ? {} : { search_path: currentSchema }),
  };
  // In connection options, white space must be escaped with a backslash.
  const options = Object.entries(session).map(
    ([name, value]) => `-c ${name}=${value.replaceAll(/[\\\s]/g, '\\$&')}`,
  );
  const connected = { ...postgresConnection(settings), pipeline: true };
  const startups = [
    { ...zoneSettings, options: options.join(' ') },
    // A connection pooler may refuse unknown settings. No statement has run so far.
    zoneSettings,
  ];
  let problem: unknown;
  for (const startup of startups) {
    const client = createClient(connected, startup);
    // Failures are reported by the statements in progress.
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      socketOf(client).destroy();
      problem = error;
      if (!(error instanceof Error) || !error.message.startsWith('unsupported startup parameter')) break;
    }
  }
  throw lost(problem, settings);
}

function lost(error: unknown, settings: ConnectionSettings): DatabaseError {
  const { reason = 'no connection', code } = postgresFailure(error, undefined);
  const why = code === undefined || reason !== 'no connection' ? reason : `${reason} (${code})`;
  return unreachable(settings, why);
}

/** The result of a question to the server. Throws a DatabaseError if the connection is lost or there is no result in time. */
async function inTime<T>(question: Promise<T>, client: pg.Client, settings: ConnectionSettings): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      socketOf(client).destroy();
      reject(unreachable(settings, `no response in ${timeLimit / 1000} s`));
    }, timeLimit);
  });
  try {
    return await Promise.race([question, late]);
  } catch (error) {
    if (error instanceof DatabaseError || error instanceof pg.DatabaseError) throw error;
    throw lost(error, settings);
  } finally {
    clearTimeout(timer);
  }
}

/** The methods used from the driver's connection. */
interface Wire {
  parse(message: { text: string; name: string; types: readonly number[] }): void;
  describe(message: { type: 'S'; name: string }): void;
  sync(): void;
  on(event: 'parameterDescription', listener: (message: { dataTypeIDs: readonly number[] }) => void): void;
  off(event: 'parameterDescription', listener: (message: { dataTypeIDs: readonly number[] }) => void): void;
}

/** Prepares and describes a statement, as a query that the driver can pipeline. */
class Description extends pg.Query {
  private result: RawResult = { parameters: [] };

  constructor(
    private readonly statement: string,
    private readonly done: (result: RawResult) => void,
    private readonly failed: (error: unknown) => void,
  ) {
    super({ text: statement });
  }

  override submit = (connection: pg.Connection): void => {
    const wire = connection as unknown as Wire;
    wire.parse({ text: this.statement, name: '', types: [] });
    wire.describe({ type: 'S', name: '' });
    wire.sync();
  };

  handleParameterDescription(parameters: readonly number[]): void {
    this.result = { parameters };
  }

  handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    if (!('parameters' in this.result)) return;
    const columns = fields.map(({ name, tableID, columnID, dataTypeID, dataTypeModifier }) => {
      return { name, table: tableID, column: columnID, type: dataTypeID, modifier: dataTypeModifier };
    });
    this.result = { ...this.result, columns };
  }

  /** The driver does not call a failed query again. */
  handleError(error: unknown): void {
    if (error instanceof pg.DatabaseError) this.done({ refusal: refusalOf(error, this.statement) });
    else this.failed(error);
  }

  handleReadyForQuery(): void {
    this.done(this.result);
  }
}

function describeOne(client: pg.Client, text: string): Promise<RawResult> {
  listen(client);
  return new Promise((resolve, reject) => {
    client.query(new Description(text, resolve, reject));
  });
}

/** Undocumented properties of the driver, verified by tests. */
interface Inside {
  readonly connection: Wire;
  _getActiveQuery(): unknown;
}

const listening = new WeakSet<pg.Client>();

/** Listens for parameter types, which the driver does not pass on. */
function listen(client: pg.Client): void {
  if (listening.has(client)) return;
  listening.add(client);
  const inside = client as unknown as Inside;
  inside.connection.on('parameterDescription', ({ dataTypeIDs }) => {
    const query = inside._getActiveQuery();
    if (query instanceof Description) query.handleParameterDescription(dataTypeIDs);
  });
}

/**
 * Errors of the statement itself: syntax and names (42), constants (22), unsupported features (0A), limits (54), schemas (3F), and changes
 * to read-only views. All other errors, such as missing privileges, concern the user or the server.
 */
function certain(result: ServerResult): ServerResult {
  if (!('refusal' in result)) return result;
  const { code, message } = result.refusal;
  if (code === '55000' && /^cannot (?:insert into|update|delete from|merge into) view /.test(message))
    return result;
  return /^(?:42|22|0A|54|3F)/.test(code) && code !== '42501' ? result : { unchecked: message };
}
