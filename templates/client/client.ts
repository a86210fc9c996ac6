/** The parts of clients (`build --client`): a client has those that it needs. */
// #part types
/** The service to call: the first argument of every function. */
export interface Client {
  /** The URL of the service, such as `https://api.example.com`; an empty string in pages of the service itself. */
  readonly baseUrl: string;
  /** The first accepted authentication that is present here is used. */ //? credentials
  readonly credentials?: Credentials | undefined; //? credentials
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * How often a request is repeated after a lost connection, or after a response with the status
   * 429, 502, 503 or 504. 0 by default. Calls that would have their effect twice are not repeated.
   */
  readonly retries?: number | undefined;
  /** Whether browsers send and store cookies: `same-origin` by default, `include` for other origins. */
  readonly cookies?: 'include' | 'omit' | 'same-origin' | undefined;
  /** Called with every request before it is sent, for example to add a header. */
  readonly onRequest?: ((request: Request) => void | Promise<void>) | undefined;
  /** Sends a request; `fetch` by default. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** Options of one call. */
export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly retries?: number | undefined;
  /** Ends the call: `AbortSignal.timeout(5000)`. */
  readonly signal?: AbortSignal | undefined;
}

/** A response with a status from 200 to 299. */
export interface Success<Status extends number, Body> {
  readonly ok: true;
  readonly status: Status;
  readonly headers: Headers;
  readonly body: Body;
}

/** Any other response. */
export interface Failure<Status extends number, Body> {
  readonly ok: false;
  readonly status: Status;
  readonly headers: Headers;
  readonly body: Body;
}

/** The body of a successful response. */
export type BodyOf<Result extends Answer> = Extract<Result, { readonly ok: true }>['body'];

/** Thrown for a response that is not described: of a proxy, or of another version of the service. */
export class UnexpectedResponse extends Error {
  override readonly name = 'UnexpectedResponse';
  readonly status: number;
  readonly headers: Headers;
  /** The body as text. */
  readonly body: string;

  constructor(operation: string, response: Response, body: string) {
    const { status, headers } = response;
    const type = headers.get('Content-Type') ?? 'no content type';
    super(
      response.type === 'opaqueredirect'
        ? `${operation}: browsers hide redirects from scripts`
        : `${operation}: a response with status ${status} and ${type} is not described`,
    );
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/** Thrown by `bodyOf` and by pages if the response is not a success. */
export class FailedResponse<Result extends Answer = Answer> extends Error {
  override readonly name = 'FailedResponse';
  readonly response: Exclude<Result, { readonly ok: true }>;

  constructor(response: Exclude<Result, { readonly ok: true }>) {
    super(`The response has the status ${response.status}`);
    this.response = response;
  }
}

/** The body of a successful response; throws `FailedResponse` for any other. */
export async function bodyOf<Result extends Answer>(call: Promise<Result>): Promise<BodyOf<Result>> {
  return successOf(await call).body as BodyOf<Result>;
}

// #part secret
/** Credentials, or a function that returns them for each request. */
type Credential<Value> = Value | (() => Value | Promise<Value>);

// #part password
/** A user with the password. */
export interface Password {
  readonly user: string;
  readonly password: string;
}

// #part signer
/** Returns the headers with the credentials of a request, such as its signature. */
export type Signer = (
  request: Request,
) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;

// #part core
type Answer = Success<number, unknown> | Failure<number, unknown>;

/** A request as an operation needs it, and the responses that are described. */
interface Call {
  readonly method: string;
  /** The path in the description. */
  readonly operation: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly cookies?: Readonly<Record<string, unknown>>; //? cookies
  readonly body?: Content | undefined;
  /** The authentications that are accepted: the first one with credentials is used. */ //? credentials
  readonly credentials?: readonly string[]; //? credentials
  /** The header with a key that lets the service recognize a repeated request. */ //? key
  readonly key?: string; //? key
  readonly replies: readonly Reply[];
}

/** The content of a request, and its type if `fetch` does not know it. */
interface Content {
  readonly content: string | Blob | FormData | URLSearchParams;
  readonly type?: string;
}

/** The statuses, the reader of the body, and its content types. */
type Reply = readonly [
  statuses: readonly number[],
  read: (response: Response) => unknown,
  ...types: readonly string[],
];

async function send<Result>(client: Client, options: CallOptions, call: Call): Promise<Result> {
  const { method, body, replies } = call;
  const headers = headersOf(client, options, call);
  const canRepeat = call.key !== undefined || (method !== 'POST' && method !== 'PATCH'); //? key
  const canRepeat = method !== 'POST' && method !== 'PATCH'; //? !key
  const retries = canRepeat ? (options.retries ?? client.retries ?? 0) : 0;
  const hasRedirect = replies.some(([statuses]) =>
    statuses.some((status) => status > 300 && status < 309 && status !== 304),
  );
  for (let attempt = 0; ; attempt += 1) {
    const url = client.baseUrl.replace(/\/+$/, '') + call.path + queryOf(call.query);
    const request = await withCredentials(client, call, url, { //? credentials
    const request = new Request(url, { //? !credentials
      method,
      headers,
      body: body?.content ?? null,
      signal: options.signal ?? null,
      credentials: client.cookies ?? 'same-origin',
      redirect: hasRedirect ? 'manual' : 'follow',
    });
    await client.onRequest?.(request);
    const isLast = attempt >= retries;
    let response: Response;
    try {
      response = await (client.fetch ?? fetch)(request);
    } catch (error) {
      if (isLast || options.signal?.aborted === true) throw error;
      await pause(backOff(attempt), options.signal);
      continue;
    }
    const wait = isLast ? undefined : waitAfter(response, attempt, call); //? key
    const wait = isLast ? undefined : waitAfter(response, attempt); //? !key
    if (wait === undefined) return await read<Result>(response, call);
    await response.body?.cancel();
    await pause(wait, options.signal);
  }
}

function headersOf(client: Client, options: CallOptions, call: Call): Headers {
  const headers = new Headers({ ...client.headers, ...options.headers });
  for (const [name, value] of Object.entries(call.headers ?? {}))
    if (value !== undefined && value !== null) headers.set(name, String(value));
  const cookies = Object.entries(call.cookies ?? {}).filter(([, value]) => (value ?? null) !== null); //? cookies
  if (cookies.length > 0) //? cookies
    headers.set('Cookie', cookies.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('; ')); //? cookies
  if (call.body?.type !== undefined) headers.set('Content-Type', call.body.type);
  if (call.key !== undefined && !headers.has(call.key)) headers.set(call.key, newKey()); //? key
  return headers;
}

/** Lists are sent as several parameters, and objects as `name[field]`. */
function queryOf(query: Call['query'] = {}): string {
  const search = new URLSearchParams();
  const add = (name: string, value: unknown): void => {
    if (value === undefined || value === null) return;
    if (Array.isArray(value)) for (const one of value) add(name, one);
    else if (typeof value !== 'object') search.append(name, String(value));
    else for (const [field, one] of Object.entries(value)) add(`${name}[${field}]`, one);
  };
  for (const [name, value] of Object.entries(query)) add(name, value);
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

async function read<Result>(response: Response, call: Call): Promise<Result> {
  const { ok, status, headers } = response;
  const [type = ''] = (headers.get('Content-Type') ?? '').toLowerCase().split(';');
  const reply = call.replies.find(
    ([statuses, , ...types]) =>
      statuses.includes(status) && (types.length === 0 || types.includes(type.trim())),
  );
  if (reply === undefined)
    throw new UnexpectedResponse(call.operation, response, await response.text());
  return { ok, status, headers, body: await reply[1](response) } as Result;
}

function successOf<Result extends Answer>(response: Result): Extract<Result, { readonly ok: true }> {
  if (response.ok) return response as Extract<Result, { readonly ok: true }>;
  throw new FailedResponse(response as Exclude<Result, { readonly ok: true }>);
}

/** The milliseconds to wait before the request is repeated; undefined if it is not, or if the service asks for more than a minute. */
function waitAfter({ status, headers }: Response, attempt: number, { key }: Call): number | undefined { //? key
function waitAfter({ status, headers }: Response, attempt: number): number | undefined { //? !key
  const asked = headers.get('Retry-After');
  // The request before is still in progress. //? key
  const isEarly = status === 409 && key !== undefined && asked !== null; //? key
  if (!isEarly && status !== 429 && (status < 502 || status > 504)) return undefined; //? key
  if (status !== 429 && (status < 502 || status > 504)) return undefined; //? !key
  if (asked === null) return backOff(attempt);
  const wait = /^\d+$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - Date.now();
  return wait <= 60_000 ? Math.max(wait, 0) : undefined;
}

/** Doubles with each attempt, with a random part so that clients do not come back together. */
function backOff(attempt: number): number {
  return Math.min(200 * 2 ** attempt, 10_000) * (0.5 + Math.random() / 2);
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

// #part key
/** A random UUID; `crypto.randomUUID` exists only in secure contexts. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 15) | 64;
  bytes[8] = ((bytes[8] ?? 0) & 63) | 128;
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

// #part authenticate
/** The places of the credentials of an authentication. Empty if a function returns the headers. */
interface Place {
  readonly header?: string;
  /** The word before the credentials. */
  readonly scheme?: string;
  readonly query?: string;
  readonly cookie?: string;
}

async function withCredentials(
  client: Client,
  { credentials: accepted = [] }: Call,
  url: string,
  init: RequestInit & { readonly headers: Headers },
): Promise<Request> {
  const given: Readonly<Record<string, unknown>> = { ...client.credentials };
  const name = accepted.find((one) => given[one] !== undefined);
  if (name === undefined) return new Request(url, init);
  const { header, scheme, query, cookie } = authentications[name] ?? {};
  const credential = given[name];
  const value: unknown =
    typeof credential === 'function' ? await credential(new Request(url, init)) : credential;
  const headers = new Headers(init.headers);
  if (header === undefined && query === undefined && cookie === undefined) //? signer
    for (const [one, text] of Object.entries(value as Record<string, string>)) headers.set(one, text); //? signer
  const text = scheme === 'Basic' ? encoded(value) : String(value); //? basic
  const text = String(value); //? !basic
  if (header !== undefined) headers.set(header, scheme === undefined ? text : `${scheme} ${text}`);
  if (cookie !== undefined) {
    const others = headers.get('Cookie');
    headers.set('Cookie', `${others === null ? '' : `${others}; `}${cookie}=${encodeURIComponent(text)}`);
  }
  const added = query === undefined ? '' : new URLSearchParams({ [query]: text }).toString();
  const sent = added === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${added}`;
  return new Request(sent, { ...init, headers });
}

// #part basic
/** A user and a password in base64, as UTF-8. */
function encoded(value: unknown): string {
  const { user, password } = value as Password;
  return btoa(String.fromCharCode(...new TextEncoder().encode(`${user}:${password}`)));
}

// #part segment
/** A value as one segment of a path. URLs cannot contain these segments: they lead to other paths. */
function segment(value: unknown): string {
  const text = String(value);
  if (text === '' || text === '.' || text === '..')
    throw new TypeError(`'${text}' cannot be sent in the path of a URL`);
  return encodeURIComponent(text);
}

// #part joined
/** The values of a list as one string. */
function joined(value: unknown, separator: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  return Array.isArray(value) ? value.join(separator) : String(value);
}

// #part jsonBody
function jsonBody(value: unknown, type = 'application/json'): Content | undefined {
  return value === undefined ? undefined : { content: JSON.stringify(value), type };
}

// #part rawBody
function rawBody(value: string | Blob | undefined, type: string): Content | undefined {
  return value === undefined ? undefined : { content: value, type };
}

// #part formBody
/** A form with files. */
function formBody(fields: object | undefined): Content | undefined {
  if (fields === undefined) return undefined;
  const content = new FormData();
  for (const [name, value] of fieldsOf(fields))
    if (value instanceof Blob) content.append(name, value);
    else content.append(name, value);
  return { content };
}

// #part urlencodedBody
function urlencodedBody(fields: object | undefined): Content | undefined {
  if (fields === undefined) return undefined;
  const content = new URLSearchParams();
  for (const [name, value] of fieldsOf(fields)) content.append(name, String(value));
  return { content };
}

// #part fieldsOf
/** The fields of a form: lists are several fields, and objects are JSON. */
function fieldsOf(fields: object): [name: string, value: string | Blob][] {
  return Object.entries(fields).flatMap(([name, value]: [string, unknown]) =>
    (Array.isArray(value) ? (value as unknown[]) : [value])
      .filter((one) => one !== undefined && one !== null)
      .map((one): [string, string | Blob] => [
        name,
        one instanceof Blob ? one : typeof one === 'object' ? JSON.stringify(one) : String(one),
      ]),
  );
}

// #part empty
async function empty(response: Response): Promise<undefined> {
  await response.body?.cancel();
}

// #part json
function json(response: Response): Promise<unknown> {
  return response.json();
}

// #part text
/** Keeps the byte order mark of files for spreadsheets, which `response.text()` removes. */
async function text(response: Response): Promise<string> {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
}

// #part blob
function blob(response: Response): Promise<Blob> {
  return response.blob();
}

// #part lines
/** The lines of a body of JSON values, while they arrive. */
async function* lines(response: Response): AsyncGenerator<unknown, void> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += decoder.decode(value, { stream: !done });
      const complete = rest.split('\n');
      rest = done ? '' : (complete.pop() ?? '');
      for (const line of complete) if (line.trim() !== '') yield JSON.parse(line) as unknown;
      if (done) return;
    }
  } finally {
    await reader.cancel();
  }
}

// #part pages
async function* pages<Input, Result extends Answer>(
  input: Input,
  get: (input: Input) => Promise<Result>,
  next: (response: Extract<Result, { readonly ok: true }>) => Partial<Input> | undefined,
): AsyncGenerator<BodyOf<Result>, void> {
  for (let page: Input | undefined = input; page !== undefined;) {
    const response = successOf(await get(page));
    yield response.body as BodyOf<Result>;
    const following = next(response);
    page = following && { ...input, ...following };
  }
}

// #part linked
/** The parameters of the next page, from the header Link. */
function linked<Input>(headers: Headers, ...names: (keyof Input & string)[]): Partial<Input> | undefined {
  const [, url] = /<([^>]*)>\s*;[^,]*\brel="?next\b/i.exec(headers.get('Link') ?? '') ?? [];
  return url === undefined ? undefined : pageOf<Input>(url, ...names);
}

// #part pageOf
/** The parameters of a page, from its URL. */
function pageOf<Input>(url: string, ...names: (keyof Input & string)[]): Partial<Input> {
  const { searchParams } = new URL(url, 'http://localhost');
  const values = names.map((name) => [name, searchParams.get(name) ?? undefined]);
  return Object.fromEntries(values) as Partial<Input>;
}
