/** A mail server for tests (npm smtp-server), which keeps what it accepts. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The mail as sent, with line feeds. */
  readonly text: string;
  readonly user: string | undefined;
  readonly isEncrypted: boolean;
}

export interface MailServer {
  readonly port: number;
  /** The mails since the last call. */
  take(): ReceivedMail[];
  stop(): Promise<void>;
}

/** Responses of the server in place of accepting: a status for each command. */
export interface Refusals {
  mail?: number;
  /** By recipient; `*` for every one. */
  rcpt?: Readonly<Record<string, number>>;
  data?: number;
  login?: number;
}

/** `refusals` can be changed while the server runs. Without a key, the server does not offer STARTTLS. */
export async function startMailServer(
  refusals: Refusals = {},
  options: SMTPServerOptions = {},
): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const refused = (status: number): Error =>
    Object.assign(new Error('what the server says is not logged'), { responseCode: status });
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    disabledCommands: options.key === undefined ? ['STARTTLS'] : [],
    allowInsecureAuth: true,
    logger: false,
    onAuth: ({ username }, _session, done) => {
      if (refusals.login !== undefined) done(refused(refusals.login));
      else done(null, { user: username });
    },
    onMailFrom: (_address, _session, done) => {
      done(refusals.mail === undefined ? null : refused(refusals.mail));
    },
    onRcptTo: ({ address }, _session, done) => {
      const status = refusals.rcpt?.[address] ?? refusals.rcpt?.['*'];
      done(status === undefined ? null : refused(status));
    },
    onData: (stream, { envelope, user, secure }, done) => {
      let text = '';
      stream.setEncoding('utf8');
      stream.on('data', (chunk: string) => {
        text += chunk;
      });
      stream.on('end', () => {
        if (refusals.data !== undefined) {
          done(refused(refusals.data));
          return;
        }
        const { mailFrom, rcptTo } = envelope;
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          text: text.replaceAll('\r\n', '\n'),
          user: typeof user === 'string' ? user : undefined,
          isEncrypted: secure,
        });
        done();
      });
    },
    ...options,
  });
  // Clients that give up are part of the tests.
  server.on('error', () => undefined);
  const listening = server.listen(0, '::');
  await once(listening, 'listening');
  return {
    port: (listening.address() as AddressInfo).port,
    take: () => mails.splice(0),
    stop: () =>
      new Promise((resolve) => {
        server.close(resolve);
      }),
  };
}
