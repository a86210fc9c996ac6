/** Calls of three services through their clients, with functions of the language alone: for Node, Bun, Deno and browsers. */
import type { LooseClient } from './client-module.js';

/** The clients of saas, exports and files, without types. */
export interface Clients {
  readonly [service: string]: Readonly<Record<string, (...args: unknown[]) => unknown>>;
}

/** Returns JSON that is equal in all runtimes. */
export async function callAll(clients: Clients, urls: Readonly<Record<string, string>>): Promise<unknown> {
  const { saas = {}, exports = {}, files = {} } = clients;
  const key = 'kiln-writes-0123456789-0123456789-01';
  const api = { baseUrl: urls['saas'] ?? '', credentials: { keys: () => Promise.resolve(key) } };
  const call = (name: string, ...args: unknown[]): Promise<Answer> =>
    run(saas, name, api, ...args) as Promise<Answer>;
  const numbers: string[][] = [];
  const all = run(saas, 'getInvoicesPages', api, { limit: 1 }) as AsyncIterable<{ number: string }[]>;
  for await (const page of all) numbers.push(page.map(({ number }) => number));
  const missing = await call('getInvoicesById', { id: 999 });
  const changed = await call('putInvoicesById', {
    ...{ id: 2, 'If-Match': '"never"' },
    body: { customer: 'Ada', amount: 1 },
  });
  const invoice = await call('getInvoicesById', { id: 2 });
  const csv = await call('getInvoicesCsv', { year: 2026 });
  const failed = await named(run(saas, 'bodyOf', call('getInvoicesById', { id: 999 })) as Promise<unknown>);
  const aborted = await named(call('getMe', { signal: AbortSignal.abort() }));
  const lines: unknown[] = [];
  const sheet = (await run(exports, 'getOrdersNdjson', { baseUrl: urls['exports'] })) as {
    readonly body: AsyncIterable<unknown>;
  };
  for await (const line of sheet.body) lines.push(line);
  const storage = { baseUrl: `${urls['files'] ?? ''}/` };
  const photo = new File([new Uint8Array([0, 255, 13, 10])], 'café.png', { type: 'image/png' });
  const id = Math.floor(Math.random() * 1_000_000_000);
  const stored = (await run(files, 'postPhotosById', storage, { id, body: { photo } })) as Answer;
  const read = (await run(files, 'getPhotosById', storage, { id })) as Answer & { body: Blob };
  const bytes = [...new Uint8Array(await read.body.arrayBuffer())];
  return {
    numbers,
    missing: [missing.status, missing.ok, (missing.body as { code?: string }).code],
    changed: [changed.status, changed.ok],
    invoice: [invoice.body, invoice.headers.get('ETag') !== null],
    csv: (csv.body as string).split('\r\n').slice(0, 2),
    ...{ failed, aborted, lines },
    stored: [stored.status, stored.body],
    read: [read.status, read.body.type, bytes],
    repeated: await repeats(saas),
  };
}

function run(service: Clients[string], name: string, ...args: readonly unknown[]): unknown {
  const called = service[name];
  if (called === undefined) throw new Error(`The client has no ${name}.`);
  return called(...args);
}

interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** How often requests are sent to a service that is away, with two retries. */
async function repeats(saas: Clients[string] = {}): Promise<readonly number[]> {
  const count = async (name: string, input: object, answer: () => Response): Promise<number> => {
    let sent = 0;
    const api: LooseClient = {
      baseUrl: 'http://localhost',
      retries: 2,
      fetch: () => {
        sent += 1;
        return Promise.resolve(answer());
      },
    };
    await (run(saas, name, api, input) as Promise<unknown>).catch(() => undefined);
    return sent;
  };
  const away = (): Response => new Response('{}', { status: 503, headers: { 'retry-after': '0' } });
  const busy = (): Response => new Response('{}', { status: 429, headers: { 'retry-after': '3600' } });
  const body = { number: 'A', customer: 'Ada', amount: 1 };
  return [
    await count('getInvoicesById', { id: 1 }, away),
    await count('deleteInvoicesById', { id: 1 }, away),
    // Without an idempotency key, and with the one that the client makes.
    await count('postKeys', { body: { name: 'a', scopes: [] } }, away),
    await count('postInvoices', { body }, away),
    await count('getInvoicesById', { id: 1 }, busy),
  ];
}

async function named(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'no error';
  } catch (error) {
    return (error as Error).name;
  }
}
