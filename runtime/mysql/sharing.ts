/** Whether quick reads can share connections to MySQL and MariaDB: nothing changes data there, and a statement is sent without waiting for the one before it. */
import type { Connection } from 'mysql2';
import { beforeDeadline } from '../sql/clock.js';
import { DatabaseFailure } from '../sql/failure.js';
import { sendAtOnce, socketOf } from './driver-internals.js';
import { mysqlRows, pingMysql, readOnly, runMysqlCommand, type MysqlSession } from './session.js';

/** Milliseconds for the results of several statements that take no time. */
const timeLimit = 2_000;

/** How often one after the other it has to fail until that is worth a warning. */
const proof = 3;

export class MysqlSharing {
  /** False behind a proxy that knows the protocol: it may accept one statement at a time, and use another session for each. */
  isPossible = true;
  private isWarned = false;
  private refusals = 0;

  /** `warn` receives the reason if connections cannot be shared, once. */
  constructor(private readonly warn: (warning: string) => void) {}

  /** Makes a new session one that is shared. Throws where that cannot be. */
  async start(connection: Connection, session: MysqlSession): Promise<void> {
    if (session.takesOneAtATime || session.id !== String(connection.threadId)) {
      this.isPossible = false;
      throw this.refusal(
        'the server, or a proxy before it, is not known to accept several statements at a time',
      );
    }
    await runMysqlCommand(connection, readOnly);
    const names = "'tx_read_only', 'transaction_read_only'";
    const rows = await mysqlRows(connection, `SHOW VARIABLES WHERE Variable_name IN (${names})`);
    if (!rows.some(([, value]) => value === 'ON'))
      throw this.refusal('a session cannot be made to change no data');
    sendAtOnce(connection);
    // A server that accepts one at a time ends the connection, or does not respond.
    const late = () => new DatabaseFailure({ kind: 'unavailable' });
    await beforeDeadline(takesSeveral(connection, session.id), performance.now() + timeLimit, late).catch(
      () => {
        throw this.refusal(
          'the server, or something before it, does not accept several statements at a time',
          false,
        );
      },
    );
    this.refusals = 0;
  }

  private refusal(reason: string, isCertain = true): Error {
    // A network that fails may look like it.
    this.refusals = isCertain ? proof : this.refusals + 1;
    if (this.refusals >= proof && !this.isWarned) {
      this.isWarned = true;
      this.warn(`Reads share no connections: ${reason}. Write pipelining=false in the URL if that is meant.`);
    }
    return new Error(reason);
  }
}

/** Sends several of them at once that take no time. Throws if one of them has an unexpected result. */
async function takesSeveral(connection: Connection, id: string): Promise<void> {
  const socket = socketOf(connection);
  socket.cork();
  const responses = [
    pingMysql(connection),
    mysqlRows(connection, 'SELECT CONNECTION_ID()'),
    pingMysql(connection),
  ];
  socket.uncork();
  const [, rows] = await Promise.all(responses);
  if (String(rows?.[0]?.[0]) !== id) throw new Error('another session has responded');
}
