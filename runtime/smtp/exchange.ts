/** One exchange with a mail server: a connection, the log-in, one mail. */
import MailComposer from 'nodemailer/lib/mail-composer';
import { encodeWord } from 'nodemailer/lib/mime-funcs';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { TimeLimit } from '../rest/time-limit.js';
import { ExchangeError } from './failure.js';
import type { OutgoingMail } from './mail.js';
import type { MailServer } from './smtp-url.js';

/** Milliseconds for the server to end the connection after a mail. */
const quitTime = 2_000;

/** Sends the mail within the given milliseconds. Throws an ExchangeError. */
export async function exchange(server: MailServer, mail: OutgoingMail, milliseconds: number): Promise<void> {
  const time = Math.max(1, Math.floor(milliseconds));
  const bytes = await bytesOf(mail);
  const { host, port, isSecure, isLocal, user, password } = server;
  const connection = new SMTPConnection({
    ...{ host, port, secure: isSecure, logger: false },
    // A certificate would not protect a connection on the same machine, which others cannot read.
    ...(isLocal ? { tls: { rejectUnauthorized: false } } : { requireTLS: !isSecure }),
    // The time limit below ends everything.
    ...{ connectionTimeout: time, greetingTimeout: time, socketTimeout: time, dnsTimeout: time },
  });
  const limit = new TimeLimit(time);
  try {
    await new Promise<void>((resolve, reject) => {
      limit.onEnd(() => {
        reject(new ExchangeError({ kind: 'timeout', reason: 'the mail server took too long' }));
      });
      const orReject =
        (next: () => void) =>
        (error?: Error | null): void => {
          if (error) reject(problemOf(error));
          else next();
        };
      const send = (): void => {
        const envelope = { from: mail.from.address, to: [...mail.recipients], size: bytes.length };
        connection.send(envelope, bytes, (error, info) => {
          if (error) reject(problemOf(error));
          else if (info.rejected.length > 0)
            reject(rejectedOf(info.rejectedErrors ?? [], mail.recipients.length));
          else resolve();
        });
      };
      connection.on('error', (error: Error) => {
        reject(problemOf(error));
      });
      connection.once('end', () => {
        reject(
          new ExchangeError({ kind: 'unreachable', reason: 'the mail server has closed the connection' }),
        );
      });
      connection.connect(
        orReject(() => {
          if (user === undefined) send();
          else connection.login({ credentials: { user, pass: password ?? '' } }, orReject(send));
        }),
      );
    });
    connection.quit();
    setTimeout(() => {
      connection.close();
    }, quitTime).unref();
  } catch (error) {
    connection.close();
    throw error;
  } finally {
    limit.clear();
  }
}

/** The mail as bytes. Given strings only: no content is read from a file or a URL. */
function bytesOf({ from, to, cc, replyTo, subject, text, html, messageId }: OutgoingMail): Promise<Buffer> {
  const addresses = (list: readonly string[]): { name: string; address: string }[] =>
    list.map((address) => ({ name: '', address }));
  const composer = new MailComposer({
    from,
    to: addresses(to),
    cc: addresses(cc),
    replyTo: addresses(replyTo),
    ...{ text, html, messageId },
    headers: {
      Subject: subjectHeader(subject),
      // Answering machines do not respond.
      'Auto-Submitted': 'auto-generated',
    },
    // Lines keep their length: a link is never broken.
    textEncoding: 'quoted-printable',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

/** Maximum length of a word that is sent as it is: a line of a mail has at most 998 characters. */
const longestWord = 900;
/** Length of an encoded word. */
const encodedWord = 52;

/**
 * The subject, so that it is shown as written. Text that looks like an encoded word would be shown decoded, even as a line break, so it is
 * encoded itself. So is a word that is too long for a line.
 */
function subjectHeader(subject: string): string | { prepared: true; foldLines: true; value: string } {
  const isPlain = !subject.includes('=?') && !new RegExp(`\\S{${longestWord}}`).test(subject);
  if (isPlain) return subject;
  return { prepared: true, foldLines: true, value: encodeWord(subject, 'Q', encodedWord) };
}

interface ServerError extends Error {
  readonly code?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly command?: string | undefined;
}

function problemOf(error: ServerError): ExchangeError {
  const { code = 'unknown', responseCode: status, command } = error;
  if (error instanceof ExchangeError) return error;
  if (code === 'ETIMEDOUT')
    return new ExchangeError({ kind: 'timeout', reason: 'the mail server took too long' });
  if (code === 'EAUTH')
    return new ExchangeError({ kind: 'unreachable', reason: 'the mail server refuses the log-in', status });
  if (code === 'ETLS')
    return new ExchangeError({
      kind: 'unreachable',
      reason: 'the mail server offers no trusted TLS',
      status,
    });
  if (status !== undefined && status >= 400 && status < 500)
    return new ExchangeError({
      kind: 'deferred',
      reason: `status ${status} of ${command ?? 'the mail'}`,
      status,
    });
  // The limit that the server has announced.
  if (code === 'EMESSAGE' && status === undefined)
    return new ExchangeError({ kind: 'refused', reason: 'the mail is too large for the mail server' });
  const isOfMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  if (isOfMail)
    return new ExchangeError({
      kind: 'refused',
      reason:
        status === undefined
          ? 'the mail cannot be sent by this server'
          : `status ${status} of ${command ?? 'the mail'}`,
      status,
    });
  return new ExchangeError({
    kind: 'unreachable',
    reason: `the mail server is not reachable: ${code}`,
    status,
  });
}

/** Some recipients were accepted, so the mail was sent to these. */
function rejectedOf(errors: readonly ServerError[], all: number): ExchangeError {
  const later = errors.find(({ responseCode = 0 }) => responseCode >= 400 && responseCode < 500);
  const status = (later ?? errors[0])?.responseCode;
  const reason = `${errors.length} of ${all} recipients were refused${status === undefined ? '' : `: status ${status}`}`;
  return new ExchangeError({ kind: later === undefined ? 'refused' : 'deferred', reason, status });
}
