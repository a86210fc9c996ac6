/** Mails of an outbox: stored with a change, sent after its commit to a real server, one row for each recipient. */
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Environment } from '../../../runtime/server/environment.js';
import { Outbox } from '../../../runtime/outbox/outbox.js';
import type { SmtpDatasource } from '../../../runtime/smtp/smtp.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import { startMailServer, type MailServer, type Refusals } from '../../helpers/mail-server.js';
import { testCall } from '../../helpers/test-call.js';
import { openMariadb, openPostgres, type TestDatasource } from '../sql/open-datasource.js';
import { opened } from './opened.js';

const refusals: Refusals = {};
let server: MailServer;
let mail: SmtpDatasource;

beforeAll(async () => {
  server = await startMailServer(refusals);
});
beforeEach(async () => {
  delete refusals.rcpt;
  mail = await opened(`smtp://localhost:${server.port}`);
});
afterAll(() => server.stop());

const secret = 'the-token-of-a-link';

describeOn('PostgreSQL', () => openPostgres('mails'));
describeOn('MariaDB', () => openMariadb('mails'));

function describeOn(name: string, open: () => Promise<TestDatasource>): void {
  let shop: TestDatasource;
  let outbox: Outbox;
  let lines: Record<string, unknown>[];

  beforeAll(async () => {
    shop = await open();
  });
  beforeEach(async () => {
    outbox = new Outbox([{ datasource: mail, database: shop.datasource }], { isSealed: true });
    outbox.cipher.readSettings(new Environment({ OUTBOX_KEY: 'k'.repeat(32) }, ''));
    lines = [];
    const write = (line: string): void => {
      lines.push(JSON.parse(line) as Record<string, unknown>);
    };
    for (const delivery of outbox.deliveries) delivery.open(pino({ base: null }, { write }));
    for (const store of outbox.stores) await store.prepare();
    await shop.server.exec(shop.database, 'delete from apikiln_outbox');
  });
  afterAll(() => shop.datasource.close(performance.now() + 1000));

  const rows = (columns: string): Promise<unknown[]> =>
    shop.server.exec(shop.database, `select ${columns} from apikiln_outbox order by position`);
  const idle = (): Promise<unknown> => Promise.all(outbox.deliveries.map((delivery) => delivery.idle()));

  /** `check` sees the rows before the commit. */
  const send = (to: string[], end?: Error): Promise<void> => {
    const store = outbox.message({
      operation: 'POST /x',
      fulfillment: 'mail',
      datasource: mail,
      sealed: true,
    });
    return inTransaction(testCall(), async (call) => {
      await store(call, { to, subject: 'Hello', text: `https://shop.example/reset#${secret}` });
      if (end !== undefined) throw end;
    });
  };

  test(`${name}: a mail is sent after the commit, and its content is removed`, async () => {
    await send(['anna@example.com', 'bob@example.com']);
    await idle();
    const mails = server.take();
    expect(mails.map(({ to }) => to).toSorted()).toEqual([['anna@example.com'], ['bob@example.com']]);
    for (const { text } of mails) expect(text).toContain(secret);
    expect(new Set(mails.map(({ text }) => /^Message-ID: .*$/m.exec(text)?.[0])).size).toBe(1);
    expect(await rows('method, state, url, header, content')).toEqual([
      ...[0, 1].map(() => ({ method: 'MESSAGE', state: 'sent', url: '', header: '', content: null })),
    ]);
  });

  test(`${name}: a rollback sends nothing`, async () => {
    await expect(send(['anna@example.com'], new Error('no'))).rejects.toThrow('no');
    await idle();
    expect(server.take()).toEqual([]);
    expect(await rows('state')).toEqual([]);
  });

  test(`${name}: one recipient is refused, another is deferred; the row has no text of the mail`, async () => {
    refusals.rcpt = { 'bob@example.com': 550, 'cy@example.com': 451 };
    await send(['anna@example.com', 'bob@example.com', 'cy@example.com']);
    await idle();
    expect(server.take().map(({ to }) => to)).toEqual([['anna@example.com']]);
    expect(await rows('state, reason')).toEqual([
      { state: 'sent', reason: null },
      { state: 'failed', reason: 'status 550 of RCPT TO' },
      { state: 'waiting', reason: 'status 451 of RCPT TO' },
    ]);
    expect(JSON.stringify(await rows('header, content, url'))).not.toMatch(/example|Hello|token/);
    expect(JSON.stringify(lines)).not.toMatch(/example\.com|Hello|token/);
    const [store] = outbox.stores;
    const listed = [...((await store?.list('failed')) ?? []), ...((await store?.list('waiting')) ?? [])];
    expect(listed).toHaveLength(2);
    expect(JSON.stringify(listed)).not.toMatch(/example\.com|Hello|token/);
    expect(lines.map(({ msg }) => msg).toSorted()).toEqual([
      'a message of the outbox has failed: see outbox list',
      'a message of the outbox is sent again',
    ]);
  });
}
