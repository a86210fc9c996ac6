/** Ends the statement that runs on a connection: from another connection, and only where that is to the same server. */
import { createConnection, type Connection } from 'mysql2';
import { clientOf, describeSession, runMysqlCommand, type MysqlSession } from './session.js';

/** Maximum milliseconds; after them the server's own time limit applies. */
const timeLimit = 500;

/**
 * Sends KILL QUERY for the session of the connection. Behind a balancer the new connection may lead to another server, where the same
 * number is another client's session. So nothing is sent unless the server, the number and the address of the client are those that were
 * recorded when the session began. Resolves when it is done, stopped or not needed; never fails.
 */
export function cancelOnMysql(
  connection: Connection,
  session: MysqlSession,
  settings: Readonly<Record<string, unknown>>,
): Promise<void> {
  // A number that is not the one of the greeting is that of a session behind a proxy.
  if (session.client === '' || session.id !== String(connection.threadId)) {
    return Promise.resolve();
  }
  const killer = createConnection(settings);
  const kill = async (): Promise<void> => {
    const { server } = await describeSession(killer);
    const isSame =
      server.hostname === session.server.hostname &&
      server.port === session.server.port &&
      server.serverId === session.server.serverId;
    if (!isSame || (await clientOf(killer, session.id)) !== session.client) return;
    await runMysqlCommand(killer, `KILL QUERY ${session.id}`);
  };
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      killer.destroy();
      resolve();
    };
    const timer = setTimeout(end, timeLimit);
    killer.on('error', end);
    kill().then(end, end);
  });
}
