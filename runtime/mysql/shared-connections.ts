/** The connections to MySQL and MariaDB that quick reads share: nothing changes data there, and a statement is sent without waiting for the one before it. */
import type { Connection } from 'mysql2';
import type { ConnectionSettings } from '../sql/connection-settings.js';
import { beforeDeadline } from '../sql/deadline.js';
import type { SharedConnections, StatementDriver } from '../sql/driver.js';
import { DatabaseFailure } from '../sql/failure.js';
import { isMysqlError } from './failure.js';
import { sendAtOnce, socketOf } from './mysql2-connection.js';
import { mysqlRows, mysqlSession, runMysqlCommand } from './session.js';

/** ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION. */
const readOnlyTransaction = 1792;

/** Milliseconds for the results of several statements that take no time. */
const timeLimit = 2_000;

/** How often one after the other it has to fail until that is worth a warning. */
const proof = 3;

/** Connections of the driver as quick reads share them; `warn` receives the reason if there are none, once. */
export function sharedConnections(
  driver: StatementDriver<Connection>,
  settings: ConnectionSettings,
  warn: (warning: string) => void,
): SharedConnections<Connection> {
  /** False behind a proxy that knows the protocol: it may accept one statement at a time, and use another session for each. */
  let isDirect = true;
  let isWarned = false;
  let refusals = 0;
  const refuse = (reason: string, isCertain = true): never => {
    // A network that fails may look like it.
    refusals = isCertain ? proof : refusals + 1;
    if (refusals >= proof && !isWarned) {
      isWarned = true;
      warn(`Reads share no connections: ${reason}. Write pipelining=false in the URL if that is meant.`);
    }
    throw new Error(reason);
  };
  const start = async (connection: Connection): Promise<void> => {
    await driver.startSession(connection);
    const session = mysqlSession(connection);
    if (session?.takesOneAtATime === true || session?.id !== String(connection.threadId)) {
      isDirect = false;
      refuse('the server, or a proxy before it, is not known to accept several statements at a time');
    }
    await runMysqlCommand(connection, 'SET SESSION TRANSACTION READ ONLY');
    const names = "'tx_read_only', 'transaction_read_only'";
    const rows = await mysqlRows(connection, `SHOW VARIABLES WHERE Variable_name IN (${names})`);
    if (!rows.some(([, value]) => value === 'ON')) refuse('a session cannot be made to change no data');
    sendAtOnce(connection);
    const several = takesSeveral(connection, session?.id);
    // A server that accepts one at a time ends the connection, or does not respond.
    await beforeDeadline(several, performance.now() + timeLimit, () => new DatabaseFailure(late)).catch(() =>
      refuse('the server, or something before it, does not accept several statements at a time', false),
    );
    refusals = 0;
  };
  return {
    get count() {
      return isDirect ? settings.shared : 0;
    },
    async connect(lost) {
      const connection = await driver.connect();
      const socket = driver.socketOf(connection);
      try {
        const until = performance.now() + driver.connectTimeout;
        await beforeDeadline(start(connection), until, () => new DatabaseFailure(late));
      } catch (error) {
        socket.destroy();
        throw error;
      }
      // Statements in flight report their own failure.
      socket.once('close', lost);
      socket.setKeepAlive(true, 10_000);
      return connection;
    },
    isWrite: (error) => isMysqlError(error, [readOnlyTransaction]),
    ping,
  };
}

const late = { kind: 'unavailable', reason: 'no response while connecting' } as const;

function ping(connection: Connection): Promise<void> {
  return new Promise((resolve, reject) => {
    // Declared otherwise: without an error the driver passes nothing.
    connection.ping((error?: Error | null) => {
      if (error instanceof Error) reject(error);
      else resolve();
    });
  });
}

/** Sends several of them at once that take no time. Throws if one of them has an unexpected result. */
async function takesSeveral(connection: Connection, id: string | undefined): Promise<void> {
  const socket = socketOf(connection);
  socket.cork();
  const responses = [ping(connection), mysqlRows(connection, 'SELECT CONNECTION_ID()'), ping(connection)];
  socket.uncork();
  const [, rows] = await Promise.all(responses);
  if (String(rows?.[0]?.[0]) !== id) throw new Error('another session has responded');
}
