/** Mails, sent to a real server. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ServiceError } from '../../../runtime/handler/reply.js';
import type { Mail } from '../../../runtime/smtp/mail.js';
import { makeCertificate, type Certificate } from '../../helpers/certificate.js';
import { startMailServer, type MailServer, type Refusals } from '../../helpers/mail-server.js';
import { testCall } from '../../helpers/test-call.js';
import { opened } from './opened.js';

/** An address of this machine that does not look like it. */
const otherHost = '[::ffff:127.0.0.1]';
const refusals: Refusals = {};
const definition = { operation: 'POST /x', fulfillment: 'mail' };
const hello: Mail = { to: 'anna@example.com', subject: 'Hello', text: 'Hello Anna' };

let certificate: Certificate;
let plain: MailServer;
let secure: MailServer;
let implicit: MailServer;

beforeAll(async () => {
  certificate = makeCertificate(undefined, ['IP:::ffff:127.0.0.1']);
  const files = { key: readFileSync(certificate.key), cert: readFileSync(certificate.certificate) };
  plain = await startMailServer(refusals);
  secure = await startMailServer(refusals, { ...files, allowInsecureAuth: false });
  implicit = await startMailServer(refusals, { ...files, secure: true });
});
afterEach(() => {
  for (const key of Object.keys(refusals)) Reflect.deleteProperty(refusals, key);
  for (const server of [plain, secure, implicit]) server.take();
});
afterAll(async () => {
  await Promise.all([plain, secure, implicit].map((server) => server.stop()));
  certificate.remove();
});

async function failureOf(url: string, mail: Mail = hello, timeout = 10): Promise<string | null> {
  const datasource = await opened(url, { timeout });
  return (await datasource.messageOrFailure(definition)(testCall(), mail)).failure;
}

/** The status of the error that ends the call, with its message and log. */
async function errorOf(url: string, mail: Mail): Promise<unknown> {
  const datasource = await opened(url);
  return datasource
    .message(definition)(testCall(), mail)
    .catch((error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      return [error.status, error.message, error.details.log?.['reason']];
    });
}

test('a mail has the recipients, the subject and the text, and nothing of the software', async () => {
  const mail = await opened(`smtp://127.0.0.1:${plain.port}`);
  await mail.message(definition)(testCall(), {
    to: ['anna@example.com', 'bob@example.com'],
    cc: 'cy@example.com',
    replyTo: 'help@example.com',
    subject: 'Grüße',
    text: `A link: https://example.com/reset#${'x'.repeat(120)}\n.\nÄnne\n`,
  });
  const [received, ...others] = plain.take();
  expect(others).toEqual([]);
  expect(received).toMatchObject({
    from: 'shop@example.com',
    to: ['anna@example.com', 'bob@example.com', 'cy@example.com'],
  });
  const [head = '', body = ''] = received?.text.split(/\n\n([^]*)/) ?? [];
  expect(head.split('\n').toSorted()).toEqual([
    'Auto-Submitted: auto-generated',
    'Cc: cy@example.com',
    'Content-Transfer-Encoding: quoted-printable',
    'Content-Type: text/plain; charset=utf-8',
    expect.stringMatching(/^Date: /) as string,
    'From: Shop <shop@example.com>',
    'MIME-Version: 1.0',
    expect.stringMatching(/^Message-ID: <[\da-f-]{36}@example\.com>$/) as string,
    'Reply-To: help@example.com',
    'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
    'To: anna@example.com, bob@example.com',
  ]);
  expect(decoded(body)).toBe(`A link: https://example.com/reset#${'x'.repeat(120)}\n.\nÄnne\n`);
});

test('a mail with HTML has both forms', async () => {
  const mail = { ...hello, html: '<p>Hello <a href="https://example.com/ä">Anna</a></p>' };
  expect(await failureOf(`smtp://127.0.0.1:${plain.port}`, mail)).toBeNull();
  const [received] = plain.take();
  expect(received?.text).toMatch(/^Content-Type: multipart\/alternative;/m);
  expect(decoded(received?.text ?? '')).toContain('Hello Anna');
  expect(decoded(received?.text ?? '')).toContain(mail.html);
});

function decoded(text: string): string {
  const bytes = text
    .replaceAll('=\n', '')
    .replaceAll(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

test.each<[string, Partial<Mail>]>([
  ['a line feed in an address', { to: 'anna@example.com\nBcc: eve@example.com' }],
  ['a carriage return in an address', { to: 'anna@example.com\rBcc: eve@example.com' }],
  ['a line feed at the end of an address', { to: 'anna@example.com\n' }],
  ['a list in one string', { to: 'anna@example.com, eve@example.com' }],
  ['a list by semicolons', { to: 'anna@example.com;eve@example.com' }],
  ['a name', { to: 'Eve <anna@example.com>' }],
  ['angle brackets', { to: '<anna@example.com>' }],
  ['a quoted name', { to: '"anna@bank.example" <eve@example.com>' }],
  ['a quoted local part', { to: '"eve@example.com anna"@example.com' }],
  ['a group', { to: 'all: anna@example.com;' }],
  ['a comment', { to: 'anna(eve)@example.com' }],
  ['a source route', { to: '@relay.example:anna@example.com' }],
  ['two signs', { to: 'anna@eve.example@example.com' }],
  ['parameters of a command', { to: 'anna@example.com> SIZE=1' }],
  ['an encoded word as an address', { to: '=?UTF-8?Q?eve=40example.net=3E?=@example.com' }],
  ['an address in an address', { to: 'eve%example.net@example.com' }],
  ['a path of hosts in an address', { to: 'example.net!eve@example.com' }],
  ['a space', { to: 'anna @example.com' }],
  ['NUL', { to: 'anna\0@example.com' }],
  ['an invisible character', { to: 'an\u200Bna@example.com' }],
  ['a change of the direction', { to: 'anna\u202E@example.com' }],
  ['an empty label', { to: 'anna@example..com' }],
  ['a host address', { to: 'anna@127.0.0.1' }],
  ['a host address in brackets', { to: 'anna@[127.0.0.1]' }],
  ['a host address as a number', { to: 'anna@2130706433' }],
  ['a host address in hexadecimal', { to: 'anna@0x7f.1' }],
  ['invalid punycode', { to: 'anna@xn--a.example.xn--' }],
  ['a long local part', { to: `${'a'.repeat(65)}@example.com` }],
  ['a long address', { to: `anna@${'a.'.repeat(130)}com` }],
  ['null', { to: null }],
  ['a number', { to: 7 }],
  ['an object', { to: { address: 'anna@example.com' } }],
  ['no address', { to: [] }],
  ['null in a list', { to: ['anna@example.com', null] }],
  ['a list in a list', { to: [['anna@example.com']] }],
  ['51 addresses', { to: Array.from({ length: 51 }, (_, index) => `a${index}@example.com`) }],
  ['51 addresses of copies', { cc: Array.from({ length: 51 }, (_, index) => `a${index}@example.com`) }],
  ['a name for answers', { replyTo: 'Bank <eve@example.com>' }],
  ['a line feed in the subject', { subject: 'Hello\nBcc: eve@example.com' }],
  ['a carriage return in the subject', { subject: 'Hello\rBcc: eve@example.com' }],
  ['a line separator in the subject', { subject: 'Hello\u2028Bcc: eve@example.com' }],
  ['a subject that is no string', { subject: ['Hello'] }],
  ['no subject', { subject: null }],
])('a mail with %s is 400, and the server hears nothing', async (_, values) => {
  expect(await errorOf(`smtp://127.0.0.1:${plain.port}`, { ...hello, ...values })).toEqual([
    400,
    expect.stringContaining('The message cannot be sent: '),
    undefined,
  ]);
  expect(plain.take()).toEqual([]);
});

test.each([
  ['an encoded word', '=?UTF-8?Q?Your_bank=0D=0ABcc:_eve@example.com?='],
  ['half an encoded word', 'Hello =?UTF-8?B?'],
  ['a long word', 'x'.repeat(5000)],
  ['a long word between others', `Hello ${'ä'.repeat(1000)} and ${'y'.repeat(2000)}`],
])('a subject with %s is shown as written, in lines of at most 998 characters', async (_, subject) => {
  expect(await failureOf(`smtp://127.0.0.1:${plain.port}`, { ...hello, subject })).toBeNull();
  const [head = ''] = (plain.take()[0]?.text ?? '').split('\n\n');
  expect(Math.max(...head.split('\n').map((line) => line.length))).toBeLessThan(998);
  const [, written = ''] = /^Subject: (.*)$/m.exec(head.replaceAll(/\n /g, ' ')) ?? [];
  const shown = written
    .replaceAll('?= =?', '?==?')
    .replaceAll(/=\?UTF-8\?Q\?([^?]*)\?=/g, (__, word: string) => word.replaceAll('_', ' '))
    .replaceAll(/(?:=[\dA-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString());
  expect(shown).toBe(subject);
});

test('no value of a mail ends it early: lines end with CR and LF, and none is a single dot', async () => {
  const text = ['a\n.\nb', 'a\r\n.\r\nb', 'a\n.\r\nb', 'a\r\n.\nb', 'a\r.\rb', 'a\r\n.\rb', '.'].join('\n');
  const ending = '\r\n.\r\n';
  let received = '';
  let state: 'commands' | 'mail' | 'accepted' = 'commands';
  await withServer(
    (socket) => {
      socket.setEncoding('latin1').write('220 x\r\n');
      socket.on('data', (data: string) => {
        if (state === 'commands') {
          if (data.startsWith('DATA')) state = 'mail';
          socket.write(state === 'mail' ? '354 go\r\n' : '250 ok\r\n');
        } else {
          received += data;
          if (state === 'mail' && received.endsWith(ending)) {
            state = 'accepted';
            socket.write('250 ok\r\n');
          }
        }
      });
    },
    async (url) => {
      expect(await failureOf(url, { ...hello, text, html: `<p>${text}</p>` })).toBeNull();
    },
  );
  const mail = received.slice(0, received.indexOf(ending));
  expect(received.slice(mail.length)).toMatch(/^\r\n\.\r\n(?:QUIT\r\n)?$/);
  expect(mail.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  expect(mail.split('\r\n').filter((line) => line === '.')).toEqual([]);
});

test('an address with letters of any script is sent with SMTPUTF8', async () => {
  const seen: unknown[] = [];
  const server = await startMailServer(
    {},
    {
      onMailFrom: (_, { envelope }, done) => {
        seen.push(envelope.smtpUtf8);
        done();
      },
    },
  );
  try {
    for (const to of ['anna@example.com', 'änna@example.com'])
      expect(await failureOf(`smtp://127.0.0.1:${server.port}`, { ...hello, to })).toBeNull();
    expect(seen).toEqual([false, true]);
    expect(server.take().map(({ to }) => to)).toEqual([['anna@example.com'], ['änna@example.com']]);
  } finally {
    await server.stop();
  }
});

test('a mail that is too large for the server is refused before it is sent', async () => {
  const server = await startMailServer({}, { size: 10_000 });
  try {
    const mail = await opened(`smtp://127.0.0.1:${server.port}`);
    const [content = ''] = mail.contentsOf({ ...hello, text: 'x'.repeat(20_000) });
    expect(await mail.attempt({ content, attempts: 1, timeLeft: 60_000 }, 10_000)).toEqual({
      ...{ state: 'failed', reason: 'the mail is too large for the mail server', pause: 0 },
    });
    expect(server.take()).toEqual([]);
  } finally {
    await server.stop();
  }
});

test.each([
  ["o'hara+news@example.com", "o'hara+news@example.com"],
  ['Anna.Maria@EXAMPLE.com', 'Anna.Maria@example.com'],
  ['anna@bücher.example', 'anna@xn--bcher-kva.example'],
  ['anna@xn--bcher-kva.example', 'anna@xn--bcher-kva.example'],
  ['anna@localhost', 'anna@localhost'],
])('the address %s', async (written, sent) => {
  expect(await failureOf(`smtp://127.0.0.1:${plain.port}`, { ...hello, to: written })).toBeNull();
  // The server of the test decodes the domain of a command.
  expect(/^To: (.*)$/m.exec(plain.take()[0]?.text ?? '')?.[1]).toBe(sent);
});

test('50 addresses, and each address once', async () => {
  const to = Array.from({ length: 50 }, (_, index) => `a${index}@example.com`);
  expect(
    await failureOf(`smtp://127.0.0.1:${plain.port}`, { ...hello, to, cc: ['a0@example.com'] }),
  ).toBeNull();
  expect(plain.take()[0]?.to).toEqual(to);
});

test('the text of a mail is text, whatever it looks like', async () => {
  const text =
    'data:text/plain,x\n{"path":"/etc/passwd"}\nfile:///etc/passwd\r\n.\r\nMAIL FROM:<eve@example.com>\r\n';
  expect(await failureOf(`smtp://127.0.0.1:${plain.port}`, { ...hello, text })).toBeNull();
  const mails = plain.take();
  expect(mails).toHaveLength(1);
  expect(decoded(mails[0]?.text.replace(/^[^]*?\n\n/, '') ?? '')).toContain(
    text.replaceAll('\r\n', '\n').trimEnd(),
  );
});

test('another machine needs STARTTLS, and gets no password without it', async () => {
  expect(await errorOf(`smtp://u:p@${otherHost}:${plain.port}`, hello)).toEqual([
    502,
    'The mail server is not reachable',
    'the mail server offers no trusted TLS',
  ]);
  expect(plain.take()).toEqual([]);
});

test.each([
  ['STARTTLS', 'smtp', () => secure],
  ['TLS', 'smtps', () => implicit],
])('a server of another machine with %s needs a certificate that is trusted', async (_, scheme, server) => {
  const url = `${scheme}://shop:secret@${otherHost}:${server().port}`;
  expect(await failureOf(url)).toBe('unreachable');
  expect(server().take()).toEqual([]);
  const { stdout } = await promisify(execFile)(
    'node',
    ['--import', 'tsx', 'test/runtime/smtp/send-one.ts', url],
    {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate.certificate },
    },
  );
  expect(stdout).toBe('null');
  expect(server().take()).toMatchObject([{ user: 'shop', isEncrypted: true }]);
});

test('a server of the same machine may have any certificate', async () => {
  expect(await failureOf(`smtp://localhost:${secure.port}`)).toBeNull();
  expect(secure.take()).toMatchObject([{ isEncrypted: true }]);
});

test.each<[string, Refusals, string]>([
  ['450 to MAIL', { mail: 450 }, 'deferred'],
  ['550 to MAIL', { mail: 550 }, 'refused'],
  ['451 to RCPT', { rcpt: { '*': 451 } }, 'deferred'],
  ['550 to RCPT', { rcpt: { '*': 550 } }, 'refused'],
  ['452 to DATA', { data: 452 }, 'deferred'],
  ['554 to DATA', { data: 554 }, 'refused'],
  ['535 to the log-in', { login: 535 }, 'unreachable'],
])('%s', async (_, refusal, failure) => {
  Object.assign(refusals, refusal);
  expect(await failureOf(`smtp://u:p@localhost:${plain.port}`)).toBe(failure);
  expect(plain.take()).toEqual([]);
});

test.each([
  [450, 'deferred', '1 of 2 recipients were refused: status 450'],
  [550, 'refused', '1 of 2 recipients were refused: status 550'],
])('one recipient of two is refused with %i', async (status, failure, reason) => {
  refusals.rcpt = { 'bob@example.com': status };
  const mail = { ...hello, to: ['anna@example.com', 'bob@example.com'] };
  const url = `smtp://localhost:${plain.port}`;
  expect(await failureOf(url, mail)).toBe(failure);
  expect(plain.take().map(({ to }) => to)).toEqual([['anna@example.com']]);
  expect(await errorOf(url, mail)).toEqual([502, expect.any(String), reason]);
});

/** Plays a server that does not behave. */
async function withServer(
  play: (socket: Socket) => void,
  run: (url: string) => Promise<void>,
): Promise<void> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    play(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await run(`smtp://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

test.each<[string, (socket: Socket) => void, string]>([
  ['says nothing', () => undefined, 'timeout'],
  [
    'greets letter by letter',
    (socket) => {
      const timer = setInterval(() => socket.write('2'), 100);
      socket.on('close', () => {
        clearInterval(timer);
      });
    },
    'timeout',
  ],
  [
    'greets without end',
    (socket) => {
      const line = `220-${'x'.repeat(60_000)}\r\n`;
      const write = (): boolean => socket.write(line, (error) => !error && write());
      write();
    },
    'unreachable',
  ],
  ['ends the connection', (socket) => socket.end(), 'unreachable'],
  ['resets the connection', (socket) => socket.resetAndDestroy(), 'unreachable'],
  ['is no mail server', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 'unreachable'],
  [
    'ends the connection after the mail',
    (socket) => {
      socket.write('220 x\r\n');
      socket.on('data', (data) => {
        if (data.toString().includes('DATA')) socket.write('354 go\r\n');
        else if (data.toString().endsWith('\r\n.\r\n')) socket.destroy();
        else socket.write('250 ok\r\n');
      });
    },
    'unreachable',
  ],
])('a server that %s', async (_, play, failure) => {
  await withServer(play, async (url) => {
    expect(await failureOf(url, hello, 1)).toBe(failure);
  });
});

test.each([
  ['is refused', '454 not available\r\n'],
  [
    'is answered in plain text',
    '220 go\r\n250-x\r\n250 AUTH PLAIN\r\n235 ok\r\n250 ok\r\n250 ok\r\n354 go\r\n250 ok\r\n',
  ],
])('if STARTTLS %s, another machine gets neither the password nor the mail', async (_, answer) => {
  let received = '';
  await withServer(
    (socket) => {
      socket.setEncoding('latin1').write('220 x\r\n');
      socket.on('data', (data: string) => {
        received += data;
        if (data.startsWith('EHLO')) socket.write('250-x\r\n250-STARTTLS\r\n250 AUTH PLAIN\r\n');
        else socket.write(data.startsWith('STARTTLS') ? answer : '250 ok\r\n');
      });
    },
    async (url) => {
      const other = url.replace('127.0.0.1', otherHost).replace('//', '//shop:secret@');
      expect(await failureOf(other, hello, 3)).toBe('unreachable');
    },
  );
  expect(received).toMatch(/^EHLO .*\r\nSTARTTLS\r\n/);
  expect(received).not.toMatch(/AUTH|MAIL FROM|Hello/);
});

test('no server', async () => {
  expect(await failureOf('smtp://127.0.0.1:9')).toBe('unreachable');
});

test('the end of the call ends the operation, whatever the fulfillment does after a failure', async () => {
  await withServer(
    () => undefined,
    async (url) => {
      const datasource = await opened(url);
      const sent = datasource.messageOrFailure(definition)(testCall(300), hello);
      await expect(sent).rejects.toMatchObject({ status: 504 });
    },
  );
});

test('a stored mail has one Message-ID for all its attempts and recipients', async () => {
  const mail = await opened(`smtp://localhost:${plain.port}`);
  const contents = mail.contentsOf({ ...hello, to: ['anna@example.com', 'bob@example.com'] });
  refusals.rcpt = { 'bob@example.com': 451 };
  const attempts = async (): Promise<unknown[]> =>
    Promise.all(contents.map((content) => mail.attempt({ content, attempts: 1, timeLeft: 60_000 }, 10_000)));
  expect(await attempts()).toEqual([
    { state: 'sent' },
    { state: 'waiting', reason: 'status 451 of RCPT TO', pause: expect.any(Number) as number },
  ]);
  refusals.rcpt = { 'bob@example.com': 550 };
  expect((await attempts())[1]).toEqual({ state: 'failed', reason: 'status 550 of RCPT TO', pause: 0 });
  refusals.rcpt = {};
  expect(await attempts()).toEqual([{ state: 'sent' }, { state: 'sent' }]);
  const received = plain.take();
  expect(
    received
      .map(({ to }) => to)
      .flat()
      .toSorted(),
  ).toEqual([...['anna@example.com', 'anna@example.com', 'anna@example.com', 'bob@example.com']]);
  const ids = received.map(({ text }) => /^Message-ID: (.*)$/m.exec(text)?.[1]);
  expect(new Set(ids).size).toBe(1);
  for (const { text } of received) expect(text).toMatch(/^To: anna@example\.com, bob@example\.com$/m);
});

test('with an empty URL nothing is sent, but values are checked', async () => {
  expect(await failureOf('')).toBeNull();
  expect(await errorOf('', { ...hello, to: 'x' })).toEqual([400, expect.any(String), undefined]);
  const mail = await opened('');
  expect(mail.open({ url: '', responseLimit: 0 })).toEqual([
    'DATASOURCE_MAIL_URL is empty, so no mail is sent',
  ]);
});

test.each([
  'mail.example.com',
  'http://mail.example.com',
  'smtp://',
  'smtp://mail.example.com/inbox',
  'smtp://mail.example.com?x=1',
])('the URL %j cannot be used', async (url) => {
  await expect(opened(url)).rejects.toThrow('its url cannot be used');
});

test.each(['Shop', 'a@example.com, b@example.com', 'Shop <a@example.com>\nBcc: eve@example.com'])(
  '%j is not a sender',
  async (from) => {
    await expect(opened('', {}, from)).rejects.toThrow('DATASOURCE_MAIL_FROM is not a sender');
  },
);
