/** Encrypts connections to MySQL and MariaDB, and verifies the identity of the server. */
import { errorCode, messageOf } from '../handler/reply.js';
import { connect, isIP, type Socket } from 'node:net';
import { checkServerIdentity, TLSSocket } from 'node:tls';
import type { Connection } from 'mysql2';
import type { ConnectionSettings } from '../sql/connection-settings.js';
import { DatabaseFailure } from '../sql/failure.js';

type Target = Pick<ConnectionSettings, 'tls' | 'host' | 'port'>;

/** The TLS options of the driver. */
export function tlsSettings(target: Target): Record<string, unknown> {
  switch (target.tls) {
    case 'off':
      return {};
    case 'encrypt':
      return { ssl: { rejectUnauthorized: false } };
    case 'verify-ca':
      return { ssl: { rejectUnauthorized: true } };
    case 'verify-full':
      return {
        ssl: { rejectUnauthorized: true, verifyIdentity: true },
        ...(isIP(target.host) === 0 ? {} : { stream: () => namedSocket(target) }),
      };
  }
}

/**
 * A socket that already has its host name. For an IP address, the driver does not pass a host to Node, which then uses the name of the
 * socket. Without a name, Node would check the certificate for `localhost`.
 */
function namedSocket({ host, port }: Target): Socket {
  const socket = connect(port, host);
  socket.setNoDelay(true);
  return Object.assign(socket, { _host: host });
}

/**
 * Checks the certificate again before the first statement, because the use of the socket name is undocumented. The driver does not
 * resume sessions. Throws a DatabaseFailure.
 */
export function checkCertificate(connection: Connection, { tls, host }: Target): void {
  if (tls !== 'verify-full') return;
  const { stream } = connection as unknown as { readonly stream: unknown };
  if (stream instanceof TLSSocket && checkServerIdentity(host, stream.getPeerCertificate()) === undefined)
    return;
  throw new DatabaseFailure({ kind: 'unavailable', reason: otherHost });
}

const otherHost = 'the certificate of the server does not name this host';

/** Log messages for Node's certificate errors. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/has expired/i, 'the certificate of the server has expired'],
  [/not yet valid/i, 'the certificate of the server is not yet valid'],
  [/does not match certificate's altnames|cert is empty/i, otherHost],
  [/self.signed certificate$/i, 'the certificate of the server is signed by itself, and is not trusted here'],
  [
    /self.signed certificate|unable to (?:verify|get)/i,
    'the certificate of the server is of an authority that is not trusted here',
  ],
];

/** The reason why encryption failed; undefined for other errors. */
export function tlsReason(error: unknown): string | undefined {
  const code = errorCode(error);
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT') return 'the server accepts no encrypted connections';
  if (code !== 'HANDSHAKE_SSL_ERROR') return undefined;
  const message = messageOf(error);
  const reason = reasons.find(([pattern]) => pattern.test(message))?.[1];
  return reason ?? 'the server and the service found no encryption that both support';
}
