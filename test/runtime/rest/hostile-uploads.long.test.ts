/**
 * Clients with invalid uploads: each gets its status and message, memory use stays flat and is released afterwards, and the next request is
 * served. Prints measurements.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ThirdParty } from '../../helpers/third-party.js';
import { RawConnection, send } from '../raw-http.js';
import { tableOf, type Figure } from './figures.js';
import { boundary, file, form, headOf, inSingleBytes, note, utf8 } from './forms.js';
import { responseOf, MeasuredService } from './measured-service.js';
import { limits, uploadCases } from './upload-cases.js';

const megabyte = 1024 * 1024;
const figures: Figure[] = [];
let service: MeasuredService;
let calm: ThirdParty;
/** The last upload received by the third party: boundary and bytes. */
let stored: { boundary: string; length: string; body: Buffer } = {
  boundary: '',
  length: '',
  body: Buffer.alloc(0),
};

beforeAll(async () => {
  calm = await ThirdParty.start(({ headers }, response, body) => {
    const type = headers['content-type'] ?? '';
    stored = { boundary: type.split('boundary=')[1] ?? '', length: headers['content-length'] ?? '', body };
    response.end('stored');
  });
  // A busy machine needs time for 400,000 chunks.
  service = await started({ REQUEST_TIMEOUT: '120000' });
  for (let round = 0; round < 20; round += 1) await upload(right);
});
afterAll(async () => {
  console.log(tableOf('clients that upload what they should not', figures));
  await service.stop();
  await calm.stop();
});
afterEach(async () => {
  expect(await upload(right)).toMatchObject({ status: 200, body: { note: 'hello' } });
});

function started(settings: Readonly<Record<string, string>>): Promise<MeasuredService> {
  return MeasuredService.start(
    { third: calm.url, closed: calm.url, calm: calm.url },
    {
      FILE_LIMIT: String(limits.file),
      BODY_LIMIT: String(limits.text),
      PART_LIMIT: String(limits.parts),
      UPLOAD_MEMORY: String(limits.memory),
      LOG_LEVEL: 'debug',
      ...settings,
    },
  );
}

const type = { 'content-type': `multipart/form-data; boundary=${boundary}` };
const right = form(file('file', 'a.png', 'abc'), note('note', 'hello'));

function upload(body: Buffer | string, headers: Readonly<Record<string, string>> = {}, path = '/look') {
  return service.ask(path, { method: 'POST', headers: { ...type, ...headers }, body });
}

/** Runs the case, and records measurements. */
async function measured<T extends { status: number; expected: string }>(
  what: string,
  run: () => Promise<T>,
  of = service,
): Promise<T> {
  const before = await of.memory();
  const start = performance.now();
  const done = await run();
  const milliseconds = performance.now() - start;
  const growth = ((await of.memory()).peak - before.now) / megabyte;
  figures.push({ what, status: done.status, expected: done.expected, milliseconds, growth });
  expect(growth).toBeLessThan(100);
  return done;
}

describe('a form', () => {
  test.each(Object.entries(uploadCases))('%s', async (what, { body, headers, status, expected }) => {
    const response = await measured(what, async () => {
      const all = await upload(body, headers);
      return { ...all, expected: responseOf(all) };
    });
    expect(response).toMatchObject({ status, body: status === 200 ? expected : { message: expected } });
  });

  test('in chunks, of whatever size', async () => {
    for (const size of [1, 7, 100, 100_000]) {
      const chunks = Array.from({ length: Math.ceil(right.length / size) }, (_, index) => {
        const chunk = right.subarray(index * size, (index + 1) * size).toString('latin1');
        return `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
      });
      const head = headOf('/look', ['Transfer-Encoding: chunked', 'Connection: close']);
      const [expected] = await send(service.port, `${head}${chunks.join('')}0\r\n\r\n`);
      expect(expected).toMatchObject({ status: 200 });
      expect(JSON.parse(expected?.body ?? '')).toMatchObject({ file: { size: 3 }, note: 'hello' });
    }
  });

  test.each([
    ['file', (content: Buffer) => file('file', 'a', content), 400_000],
    ['texts', (content: Buffer) => note('note', content), 20_000],
  ])('in chunks of one byte takes no more memory: %s', async (what, make, size) => {
    const parts = Array<Buffer>(what === 'file' ? 1 : limits.parts).fill(make(Buffer.alloc(size, 'x')));
    const body = inSingleBytes(form(...parts)).toString('latin1');
    const { status } = await measured(`single bytes: ${what}`, async () => {
      const head = headOf('/look', ['Transfer-Encoding: chunked', 'Connection: close']);
      const [expected] = await send(service.port, head + body);
      return { status: expected?.status ?? 0, expected: `${size} bytes` };
    });
    expect(status).toBe(200);
  });

  test('that waits for a request is requested, or refused immediately', async () => {
    const head = (length: number, path = '/look') =>
      headOf(path, [`Content-Length: ${length}`, 'Expect: 100-continue', 'Connection: close']);
    const asked = new RawConnection(service.port).write(head(right.length));
    while (!asked.text.includes('100 Continue\r\n\r\n')) await delay(5);
    asked.write(right.toString('latin1'));
    expect((await asked.untilClosed()).map(({ status }) => status)).toEqual([100, 200]);
    const refused = await send(service.port, head(100 * megabyte));
    expect(refused.map(({ status }) => status)).toEqual([413]);
  });
});

describe('received bytes are sent unchanged', () => {
  const all = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  const like = [
    `\r\n--${boundary}`.slice(0, -1),
    `x--${boundary}--`,
    '\r\n--',
    '\r',
    '\n',
    '\r\n--limi',
    '--\r\n\r\n',
  ];
  const contents: [string, Buffer][] = [
    ['all bytes', all],
    ['nothing', Buffer.alloc(0)],
    ['zeros', Buffer.alloc(100_000)],
    ...like.map((text): [string, Buffer] => [JSON.stringify(text), Buffer.from(text)]),
    ['all of that', Buffer.concat([all, ...like.flatMap((text) => [Buffer.from(text), all])])],
    ['as large as may be', Buffer.alloc(limits.file, all)],
  ];

  test.each(contents)('%s', async (_what, content) => {
    const name = utf8('žluť "%22.png').replace('"', '%22');
    const body = form(file('file', name, content), note('note', 'a\nb\r\nc\r'));
    const outgoing = file('file', utf8('žluť %22%22.png'), content);
    expect(await upload(body, {}, '/forward')).toMatchObject({ status: 200, body: 'stored' });
    const expected = form(outgoing, note('note', 'a\nb\r\nc\r')).toString('latin1');
    const bytes = stored.body.toString('latin1');
    expect(stored.length).toBe(String(stored.body.length));
    expect(stored.boundary.length).toBeGreaterThan(20);
    expect(bytes.replaceAll(`--${stored.boundary}`, `--${boundary}`) === expected).toBe(true);
  });

  test('the content type goes with it', async () => {
    const csv = 'text/csv';
    await upload(form(file('file', 'a.csv', 'x', csv)), {}, '/forward');
    expect(stored.body.toString('latin1')).toContain(`Content-Type: ${csv}\r\n`);
  });
});

describe('a client', () => {
  const large = file('file', 'a', Buffer.alloc(limits.file)).toString('latin1');

  test('that goes away in the middle takes no memory with it', async () => {
    await measured('40 clients that go away', async () => {
      for (let round = 0; round < 40; round += 1) {
        const client = new RawConnection(service.port);
        client.write(headOf('/look', ['Content-Length: 3000000']) + large.slice(0, 1_500_000));
        await delay(15);
        client.destroy();
        await client.closed;
      }
      return { status: 499, expected: '40 × 1.5 MB' };
    });
    // Nearly the whole budget is available again.
    const statuses = async (): Promise<number[]> => {
      const body = Buffer.from(`${large}--${boundary}--\r\n`, 'latin1');
      const uploads = await Promise.all(Array.from({ length: 6 }, () => upload(body)));
      return uploads.map(({ status }) => status);
    };
    await expect.poll(statuses).toEqual(Array(6).fill(200));
  });

  test('that sends too slowly is ended', async () => {
    const impatient = await started({ REQUEST_TIMEOUT: '2000' });
    const sendSlowly = async () => {
      const client = new RawConnection(impatient.port).write(headOf('/look', ['Content-Length: 1000000']));
      const timer = setInterval(() => client.write('x'), 50);
      const [expected] = await client.untilClosed();
      clearInterval(timer);
      return { status: expected?.status ?? 0, expected: expected?.body ?? '' };
    };
    try {
      expect(await measured('sends slowly', sendSlowly, impatient)).toMatchObject({ status: 408 });
    } finally {
      await impatient.stop();
    }
  });

  test.each([
    ['file too large', large + 'x', 413],
    ['text too large', note('note', 'x'.repeat(limits.text + 1)).toString('latin1') + `--${boundary}`, 413],
    [
      'too many parts',
      note('x', 'y')
        .toString('latin1')
        .repeat(limits.parts + 1),
      413,
    ],
    ['no form', `--${boundary}\r\nnonsense\r\n\r\n`, 400],
    ['file without a name', file('file', '', 'abc', 'application/octet-stream').toString('latin1'), 400],
  ])('gets its response while it still sends: %s', async (what, start, expected) => {
    const { status } = await measured(`still sending: ${what}`, async () => {
      const client = new RawConnection(service.port);
      // More than the form parser buffers.
      client.write(headOf('/look', ['Content-Length: 30000000']) + start + 'x'.repeat(100_000));
      const [expected] = await client.next();
      client.destroy();
      return { status: expected?.status ?? 0, expected: expected?.body ?? '' };
    });
    expect(status).toBe(expected);
  });

  test('that is one of too many gets a 503, the others are served, and so is everybody afterwards', async () => {
    const ends = `--${boundary}--\r\n`;
    const head = headOf('/look', [`Content-Length: ${large.length + ends.length}`, 'Connection: close']);
    const statuses = await measured('30 uploads of 2 MB at a time', async () => {
      const clients = Array.from({ length: 30 }, () => new RawConnection(service.port).write(head + large));
      const isAnswered = ({ text }: RawConnection): boolean => text !== '';
      // The memory suffices for at most eight uploads.
      await expect.poll(() => clients.filter(isAnswered).length).toBeGreaterThanOrEqual(30 - 8);
      for (const client of clients) client.write(ends);
      const responses = await Promise.all(clients.map((client) => client.untilClosed()));
      const codes = responses.map(([expected]) => expected?.status ?? 0);
      const refused = codes.filter((status) => status === 503).length;
      expect(responses.find(([expected]) => expected?.status === 503)?.[0]).toMatchObject({
        body: '{"message":"Too many uploads at a time"}',
      });
      return { status: 503, expected: `${refused} × 503, ${codes.length - refused} × 200`, codes };
    });
    const served = statuses.codes.filter((status) => status === 200).length;
    expect(new Set(statuses.codes)).toEqual(new Set([200, 503]));
    expect(served).toBeGreaterThanOrEqual(5);
    expect(served).toBeLessThanOrEqual(8);
    for (let round = 0; round < 30; round += 1) {
      expect(await upload(Buffer.from(large + ends, 'latin1'))).toMatchObject({ status: 200 });
    }
  });

  test('leaves no memory behind', async () => {
    const before = await service.memory();
    await measured('200 uploads of 2 MB in turn', async () => {
      const body = Buffer.from(`${large}--${boundary}--\r\n`, 'latin1');
      for (let round = 0; round < 200; round += 1) await upload(body);
      return { status: 200, expected: '' };
    });
    expect((await service.memory()).heap - before.heap).toBeLessThan(5 * megabyte);
  });
});

test('no log shows what was uploaded, and nothing was unexpected', () => {
  const failures = service.process.log.filter(({ status }) => status === 500);
  expect(failures).toEqual([]);
  expect(service.process.out).not.toContain('žluť');
});
