/** Plays the requests of a fixture through its client, and compares the responses with the fixture and with the declared types. */
import { expect } from 'vitest';
import type { ClientOperation } from '../../compiler/generate/plan/client/client-plan.js';
import type { FixtureRun } from '../helpers/fixture-run.js';
import { compareReceived, compareResponse, contentOf, filled, play } from '../helpers/play-request.js';
import type { FixtureRequest } from '../helpers/service-fixture.js';
import type { LoadedClient, PlannedClient } from './client-module.js';
import { mismatch } from './client-values.js';

export interface ClientCall {
  readonly operation: ClientOperation;
  readonly input: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** The outcome of a request. */
export type Played =
  | { readonly kind: 'called'; readonly operation: string }
  /** Sent without the client, which cannot send it. */
  | { readonly kind: 'raw' }
  | { readonly kind: 'undescribed'; readonly status: number; readonly operation: string };

export async function playThrough(
  written: FixtureRequest,
  run: FixtureRun,
  { plan }: PlannedClient,
  client: LoadedClient,
): Promise<Played> {
  const request = await signed(filled(written, run.kept), run);
  const call = callOf(request, plan.operations, run.service.url);
  if (call === undefined) {
    await play(written, run);
    return { kind: 'raw' };
  }
  const end = performance.now() + (written.until ?? 0) * 1000;
  for (;;)
    try {
      return await callOnce(call, { written, run, plan, client });
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
}

async function callOnce(
  { operation, input, headers }: ClientCall,
  {
    written,
    run,
    plan,
    client,
  }: Pick<PlannedClient, 'plan'> & {
    readonly written: FixtureRequest;
    readonly run: FixtureRun;
    readonly client: LoadedClient;
  },
): Promise<Played> {
  let text = '';
  let response: Response | undefined;
  const api = {
    baseUrl: run.service.url,
    fetch: async (request: Request) => {
      response = await fetch(request);
      text = Buffer.from(await response.clone().arrayBuffer()).toString('utf8');
      return response;
    },
  };
  run.thirdParty.take();
  const rest = operation.inputs.length === 0 && operation.body === undefined ? [] : [input];
  const called = client[operation.name]?.(api, ...rest, { headers });
  const result = await Promise.resolve(called).catch((error: unknown) => error as Error);
  if (response === undefined) throw result;
  const cookies = response.headers.getSetCookie();
  const headersOfResponse = {
    ...Object.fromEntries(response.headers),
    ...(cookies.length > 0 && { 'set-cookie': cookies }),
  };
  const received = { status: response.status, headers: headersOfResponse, text };
  compareResponse(written, received, run.kept);
  await compareReceived(written, run.thirdParty);
  if (result instanceof Error && result.name === 'UnexpectedResponse')
    return { kind: 'undescribed', status: response.status, operation: operation.name };
  if (result instanceof Error) throw result;
  const { ok, status, body } = result as { ok: boolean; status: number; body: unknown };
  expect({ ok, status }).toEqual({ ok: response.ok, status: response.status });
  const reply = operation.replies.find(({ statuses }) => statuses.includes(status));
  const type = (response.headers.get('content-type') ?? '').split(';')[0]?.toLowerCase() ?? '';
  const content = reply?.contents.find(({ types }) => types.length === 0 || types.includes(type));
  if (content === undefined) throw new Error(`${operation.name}: ${status} ${type}`);
  const value = content.reader === 'lines' ? await listOf(body as AsyncIterable<unknown>) : body;
  expect(mismatch(value, content.body, plan), `${operation.name}: ${text.slice(0, 300)}`).toBeUndefined();
  if (content.reader === 'json') expect(value).toEqual(JSON.parse(text));
  if (content.reader === 'text') expect(value).toBe(text);
  if (content.reader === 'blob') expect(await (value as Blob).text()).toBe(text);
  if (content.reader === 'lines')
    expect(value).toEqual(
      text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown])),
    );
  return { kind: 'called', operation: operation.name };
}

async function listOf(lines: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

async function signed(request: FixtureRequest, { credentials }: FixtureRun): Promise<FixtureRequest> {
  const { authentication, claims = {}, key, header } = request;
  if (authentication === undefined) return request;
  const content = Buffer.from(contentOf(request) ?? '');
  const { headers } = await credentials.of({ authentication, claims, key }, content);
  return { ...request, header: { ...headers, ...header } };
}

/** The call that sends the request; undefined if no function of the client can send it. */
function callOf(
  request: FixtureRequest,
  operations: readonly ClientOperation[],
  url: string,
): ClientCall | undefined {
  const [method = '', target = ''] = request.request.split(' ');
  const [path = '', search = ''] = target.split('?', 2);
  if (target.includes('#') || new URL(`${url}${target}`).pathname !== path) return undefined;
  // fetch adds headers, such as Accept-Language.
  const isWithout = request.receives?.some(({ header = {} }) => Object.values(header).includes(null));
  if (isWithout === true) return undefined;
  for (const operation of operations) {
    const inPath = operation.method === method ? inputsOfPath(operation, path) : undefined;
    if (inPath === undefined) continue;
    const inQuery = inputsOfQuery(operation, search);
    const body = bodyOf(request, operation);
    if (inQuery === undefined || body === 'another') return undefined;
    const headers = new Map(Object.entries(request.header ?? {}));
    // The client adds a missing key, and fetch its name.
    const isSent = (name: string): boolean =>
      [...headers.keys()].some((one) => one.toLowerCase() === name.toLowerCase());
    const added = [operation.key ?? [], operation.inputs.some(isUserAgent) ? 'user-agent' : []].flat();
    if (!added.every(isSent)) return undefined;
    const inHeaders = operation.inputs.flatMap(({ place, name, key }) => {
      if (place !== 'header') return [];
      const written = [...headers.keys()].find((one) => one.toLowerCase() === name.toLowerCase());
      if (written === undefined) return [];
      const value = headers.get(written);
      headers.delete(written);
      return [[key, value] as const];
    });
    const keyInput = operation.inputs.find(({ place, name }) => place === 'header' && name === operation.key);
    // The client creates a key if none is given.
    if (keyInput !== undefined && !inHeaders.some(([key]) => key === keyInput.key)) return undefined;
    // The client sets the content types of its own bodies.
    if (body !== undefined) headers.delete('content-type');
    const input = {
      ...inPath,
      ...inQuery,
      ...Object.fromEntries(inHeaders),
      ...(body && { body: body.value }),
    };
    return { operation, input, headers: Object.fromEntries(headers) };
  }
  return undefined;
}

function isUserAgent({ place, name }: ClientOperation['inputs'][number]): boolean {
  return place === 'header' && name.toLowerCase() === 'user-agent';
}

function inputsOfPath(operation: ClientOperation, path: string): Record<string, string> | undefined {
  const pattern = operation.path
    .map((part) => (typeof part === 'string' ? escaped(part) : part.isSegment ? '([^/]+)' : '([^/]*?)'))
    .join('');
  const values = new RegExp(`^${pattern}$`).exec(path)?.slice(1);
  if (values === undefined) return undefined;
  const keys = operation.path.flatMap((part) => (typeof part === 'string' ? [] : [part.key]));
  try {
    return Object.fromEntries(keys.map((key, index) => [key, decodeURIComponent(values[index] ?? '')]));
  } catch {
    return undefined;
  }
}

function inputsOfQuery(operation: ClientOperation, search: string): Record<string, unknown> | undefined {
  const parameters = new URLSearchParams(search);
  const found: Record<string, unknown> = {};
  for (const name of new Set(parameters.keys())) {
    const input = operation.inputs.find((one) => one.place === 'query' && one.name === name);
    if (input === undefined) return undefined;
    const values = parameters.getAll(name);
    if (input.format === 'json') found[input.key] = JSON.parse(values[0] ?? '') as unknown;
    else found[input.key] = values.length === 1 ? values[0] : values;
  }
  return found;
}

type SentBody = { readonly value: unknown } | undefined | 'another';

function bodyOf(
  { body, bodyText, parts, header = {} }: FixtureRequest,
  { body: planned }: ClientOperation,
): SentBody {
  if (body === undefined && bodyText === undefined && parts === undefined) return undefined;
  const type = Object.entries(header).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  if (planned === undefined) return 'another';
  if (parts !== undefined) {
    if (planned.kind !== 'form' || type !== undefined) return 'another';
    const fields: Record<string, unknown> = {};
    for (const part of parts) {
      const value =
        part.filename === undefined
          ? part.text
          : new File([part.text], part.filename, part.type === undefined ? {} : { type: part.type });
      // A Blob always has a type, and a string never.
      if ((part.filename === undefined) !== (part.type === undefined)) return 'another';
      const before = fields[part.name];
      fields[part.name] = before === undefined ? value : [before, value].flat();
    }
    return { value: fields };
  }
  if (body !== undefined)
    return planned.kind === 'json' && (type === undefined || type === planned.contentType)
      ? { value: body }
      : 'another';
  if (planned.kind === 'raw' && type === planned.contentType) return { value: bodyText };
  if (planned.kind === 'urlencoded' && type === 'application/x-www-form-urlencoded') {
    const fields = new URLSearchParams(bodyText);
    if (fields.toString() !== bodyText) return 'another';
    return {
      value: Object.fromEntries([...new Set(fields.keys())].map((name) => [name, fields.getAll(name)])),
    };
  }
  return 'another';
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
