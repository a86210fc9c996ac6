/** Encryption of connections to MySQL and MariaDB, and the check of the server's identity. */
import { errorCode, messageOf } from '../handler/reply.js';
import { connect, isIP, type Socket } from 'node:net';
import { checkServerIdentity, TLSSocket } from 'node:tls';
import type { Connection } from 'mysql2';
import type { ConnectionSettings } from '../sql/connection-settings.js';
import { DatabaseFailure } from '../sql/failure.js';

type Target = Pick<ConnectionSettings, 'tls' | 'host' | 'port'>;

/** The driver's options of encryption. */
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
 * If the host is an IP address, the driver passes no host to Node. Node then uses the name of the socket, which it only has after a
 * look-up, and without any name it checks the certificate for `localhost`.
 */
function namedSocket({ host, port }: Target): Socket {
  const socket = connect(port, host);
  socket.setNoDelay(true);
  return Object.assign(socket, { _host: host });
}

/**
 * Once more before the first statement, since the name of the socket is documented nowhere. The driver resumes no session. Throws a
 * DatabaseFailure.
 */
export function checkCertificate(connection: Connection, { tls, host }: Target): void {
  if (tls !== 'verify-full') return;
  const { stream } = connection as unknown as { readonly stream: unknown };
  if (stream instanceof TLSSocket && checkServerIdentity(host, stream.getPeerCertificate()) === undefined)
    return;
  throw new DatabaseFailure({ kind: 'unavailable', reason: otherHost });
}

const otherHost = 'the certificate of the server does not name this host';

/** Node's errors about certificates, in words for the log. */
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

/** Why the connection could not be encrypted; undefined for an error of another kind. */
export function tlsReason(error: unknown): string | undefined {
  const code = errorCode(error);
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT') return 'the server accepts no encrypted connections';
  if (code !== 'HANDSHAKE_SSL_ERROR') return undefined;
  const message = messageOf(error);
  const reason = reasons.find(([pattern]) => pattern.test(message))?.[1];
  return reason ?? 'the server and the service found no encryption that both support';
}
