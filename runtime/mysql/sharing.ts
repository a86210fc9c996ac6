/**
 * Determines whether quick reads can share connections to MySQL and MariaDB. Shared connections are read-only, and statements are sent
 * without waiting for earlier results.
 */
import type { Connection } from 'mysql2';
import { beforeDeadline } from '../sql/clock.js';
import { DatabaseFailure } from '../sql/failure.js';
import { sendAtOnce, socketOf } from './driver-internals.js';
import { mysqlRows, pingMysql, readOnly, runMysqlCommand, type MysqlSession } from './session.js';

/** Milliseconds for the results of several trivial statements. */
const timeLimit = 2_000;

/** Consecutive failures after which a warning is logged. */
const proof = 3;

export class MysqlSharing {
  /** False for a proxy that parses the protocol: it may accept only one statement at a time, and use different sessions. */
  isPossible = true;
  private isWarned = false;
  private refusals = 0;

  /** `warn` receives the reason, once, if connections cannot be shared. */
  constructor(private readonly warn: (warning: string) => void) {}

  /** Prepares a new session for sharing. Throws if that is not possible. */
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
    // A server that accepts only one statement at a time closes the connection, or does not respond.
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
    // An unreliable network can have the same symptoms, so a single failure is not proof.
    this.refusals = isCertain ? proof : this.refusals + 1;
    if (this.refusals >= proof && !this.isWarned) {
      this.isWarned = true;
      this.warn(`Reads share no connections: ${reason}. Write pipelining=false in the URL if that is meant.`);
    }
    return new Error(reason);
  }
}

/** Sends several trivial statements together. Throws if a result is unexpected. */
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
