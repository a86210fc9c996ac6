/** The user who opened a connection on this machine. */
import { readFileSync } from 'node:fs';
import type { Connection } from '../../dev/page-login.js';

/** Whether another user of this machine, except root, has opened the connection. False where the system does not show it: only Linux does. */
export function isOfOtherUser({ remotePort, localPort }: Connection): boolean {
  const user = process.getuid?.();
  if (user === undefined || remotePort === undefined || localPort === undefined) return false;
  return (
    ['/proc/net/tcp', '/proc/net/tcp6']
      .flatMap((path) => ownersIn(read(path), remotePort, localPort))
      // Root reads everything anyway, and passes connections on: of a browser of Windows into WSL, or into a container.
      .some((owner) => owner !== user && owner !== 0)
  );
}

/** The user ids of all sockets with these ports: an address of this machine other than 127.0.0.1 can have the same port. */
function ownersIn(table: string, port: number, peer: number): number[] {
  const ends = (address: string, number: number): boolean =>
    Number.parseInt(address.split(':')[1] ?? '', 16) === number;
  return table.split('\n').flatMap((line) => {
    // sl, local_address, rem_address, st, tx_queue:rx_queue, tr:tm->when, retrnsmt, uid
    const [, local = '', remote = '', , , , , user = ''] = line.trim().split(/\s+/);
    return ends(local, port) && ends(remote, peer) ? [Number(user)] : [];
  });
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
