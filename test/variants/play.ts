/** Runs variants of operations as one service, sends the same requests to all of them, and compares responses and changes. */
import { compile, type Compilation } from '../../compiler/compile.js';
import { assets } from '../emit/compile-text.js';
import { RunningService } from '../helpers/running-service.js';
import { translateServices } from '../helpers/service-build.js';
import { sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';
import { findIn } from '../helpers/split-configuration.js';
import { ThirdParty } from '../helpers/third-party.js';
import { difference, type Seen } from './compare.js';
import { lastNext, lastTag, type Case, type Notation, type Request } from './operation.js';
import { callOf, sentAgain, thirdParty } from './party.js';
import { schemaOf, seedOf } from './statements.js';
import { write, type Written } from './write.js';

export interface Trial {
  readonly one: Case;
  readonly notations: readonly Notation[];
}

export interface Difference {
  readonly trial: Trial;
  /** The two notations that differ. */
  readonly notations: readonly [Notation, Notation];
  /** Whether the compiler accepts only one of the two. */
  readonly isRefusal: boolean;
  readonly text: string;
}

export interface Played {
  readonly differences: readonly Difference[];
  /** The number of accepted operations, their variants, and the requests sent to them. */
  readonly operations: number;
  readonly variants: number;
  readonly requests: number;
}

interface Variant {
  readonly number: number;
  readonly trial: Trial;
  readonly notation: Notation;
  readonly written: Written;
}

const databases = ['postgresql', 'mariadb'] as const;
/** Headers that differ in each response, or belong to the connection. */
const ignoredHeaders = new Set([
  'date',
  'x-request-id',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
]);
const atOnce = 12;

export async function play(name: string, trials: readonly Trial[]): Promise<Played> {
  const all = trials.flatMap(variantsOf).map((variant, at) => numbered(variant, at + 1));
  const refused = new Map<number, readonly string[]>();
  let accepted = all;
  let compilation = await compileVariants(accepted);
  // Operations with an error are excluded.
  for (let codes = codesOf(compilation); codes.size > 0; codes = codesOf(compilation)) {
    for (const [number, found] of codes) refused.set(number, found);
    const gone = new Set(all.flatMap(({ number, trial }) => (refused.has(number) ? [trial] : [])));
    accepted = all.filter(({ trial }) => !gone.has(trial));
    compilation = await compileVariants(accepted);
  }
  const refusals = trials.flatMap((trial) =>
    refusalOf(
      all.filter((one) => one.trial === trial),
      refused,
    ),
  );
  if (compilation.files === undefined) throw new Error('there are no files, and no errors');
  const folder = translateServices(name, [{ name, files: compilation.files }]).get(name) ?? '';
  const differences = await playAll(name.replaceAll('-', '_'), folder, accepted);
  const left = [...new Set(accepted.map(({ trial }) => trial))];
  const requests = accepted.reduce((sum, { trial }) => sum + trial.one.requests.length, 0);
  return {
    ...{
      differences: [...refusals, ...differences],
      operations: left.length,
      variants: accepted.length,
      requests,
    },
  };
}

/** The variants without duplicates of the same written form. */
function variantsOf(trial: Trial): Omit<Variant, 'number' | 'written'>[] {
  const found = new Map<string, Notation>();
  for (const notation of trial.notations) {
    const { operations } = write(trial.one.operation, notation, 0);
    const file = operations.size === 1 && notation.file === 'split' ? 'config' : notation.file;
    const key = JSON.stringify([...operations, file, notation.database]);
    if (!found.has(key)) found.set(key, notation);
  }
  return [...found.values()].map((notation) => ({ trial, notation }));
}

function numbered(variant: Omit<Variant, 'number' | 'written'>, number: number): Variant {
  return { ...variant, number, written: write(variant.trial.one.operation, variant.notation, number) };
}

function compileVariants(variants: readonly Variant[]): Promise<Compilation> {
  const own: [string, object][] = [];
  const files = new Map<string, string>();
  for (const { number, notation, written } of variants) {
    const all = [...written.operations];
    const kept = notation.file === 'config' ? all.length : notation.file === 'split' ? 1 : 0;
    own.push(...all.slice(0, kept));
    const moved = all.slice(kept);
    if (moved.length > 0) files.set(`operations/v${number}.yaml`, JSON.stringify(Object.fromEntries(moved)));
  }
  const config = {
    specification: '1.0',
    ...(files.size === 0 ? {} : { include: ['operations/*.yaml'] }),
    operations: Object.fromEntries(own),
    datasources: {
      // Streamed lists get half of the connections.
      postgresql: { type: 'db', url: 'jdbc:postgresql://localhost/db', pool: { max: 3 * atOnce } },
      mariadb: { type: 'db', url: 'jdbc:mariadb://localhost/db', pool: { max: 3 * atOnce } },
      party: { type: 'rest', url: '${PARTY_URL}' },
    },
  };
  return compile(
    {
      config: { path: 'config.yaml', text: JSON.stringify(config) },
      include: findIn(files),
      description: {
        source: { path: 'openapi.json', text: JSON.stringify(descriptionOf(variants)) },
        read: () => undefined,
      },
    },
    assets,
  );
}

function descriptionOf(variants: readonly Variant[]): object {
  const parameter = (name: string, place: string, type = 'string'): object => ({
    ...{ name, in: place, ...(place === 'path' ? { required: true } : {}), schema: { type } },
  });
  const paths = variants.map(({ number, trial: { one }, written: { described } }) => {
    const content = { 'application/json': { schema: described ?? {} } };
    const operation = {
      parameters: [parameter('id', 'path'), parameter('y', 'query')],
      ...(one.operation.method === 'POST'
        ? { requestBody: { content: { 'application/json': { schema: {} } } } }
        : {}),
      responses: { 200: { description: 'ok', ...(described === undefined ? {} : { content }) } },
    };
    return [`/v${number}/{id}`, { [one.operation.method.toLowerCase()]: operation }];
  });
  const models = variants.flatMap(({ written }) => Object.entries(written.models));
  return {
    ...{ openapi: '3.1.0', info: { title: 'variants', version: '1' } },
    ...{ paths: Object.fromEntries(paths) as object, components: { schemas: Object.fromEntries(models) } },
  };
}

/** The errors by variant number. */
function codesOf({ diagnostics }: Compilation): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const { severity, code, message, span } of diagnostics) {
    if (severity !== 'error') continue;
    const text = span.source.text.slice(0, span.end);
    const number = Number([...text.matchAll(/"(?:(?:GET|POST) \/)?v(\d+)[ /]/g)].at(-1)?.[1] ?? NaN);
    if (Number.isNaN(number)) throw new Error(message);
    found.set(number, [...(found.get(number) ?? []), `${code}: ${message}`]);
  }
  return found;
}

function refusalOf(
  variants: readonly Variant[],
  refused: ReadonlyMap<number, readonly string[]>,
): Difference[] {
  const [one] = variants.filter(({ number }) => refused.has(number));
  const [other] = variants.filter(({ number }) => !refused.has(number));
  if (one === undefined || other === undefined) return [];
  const text = `only one is refused: ${refused.get(one.number)?.join('; ') ?? ''}`;
  return [{ trial: one.trial, notations: [one.notation, other.notation], isRefusal: true, text }];
}

async function playAll(
  database: string,
  folder: string,
  variants: readonly Variant[],
): Promise<Difference[]> {
  if (variants.length === 0) return [];
  const party = await ThirdParty.start(thirdParty());
  const [postgresql, mariadb] = await Promise.all([sharedPostgres(), sharedMariadb()]);
  const servers = { postgresql, mariadb };
  const environment: Record<string, string> = { LOG_LEVEL: 'fatal', PARTY_URL: party.url };
  for (const kind of databases) {
    const server = servers[kind];
    await server.createDatabase(database);
    await server.exec(database, schemaOf(kind));
    const numbers = variants.filter(({ notation }) => notation.database === kind).map(({ number }) => number);
    if (numbers.length > 0) await server.exec(database, seedOf(numbers));
    environment[`DATASOURCE_${kind.toUpperCase()}_URL`] = server.jdbcUrl(database);
    environment[`DATASOURCE_${kind.toUpperCase()}_USER`] = server.user;
    environment[`DATASOURCE_${kind.toUpperCase()}_PASSWORD`] = server.password;
  }
  const service = await RunningService.start(folder, environment);
  const senders = variants.map((variant) => ({ variant, sender: new Sender(service.url, variant) }));
  const found = new Map<Trial, Difference>();
  try {
    const rounds = Math.max(...variants.map(({ trial }) => trial.one.requests.length));
    const last = { postgresql: 0, mariadb: 0 };
    for (let round = 0; round < rounds; round += 1) {
      const seen = new Map<Variant, Seen>();
      const waiting = senders.filter(
        ({ variant: { trial } }) => !found.has(trial) && trial.one.requests[round] !== undefined,
      );
      const work = async (): Promise<void> => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
          seen.set(next.variant, await next.sender.send(next.variant.trial.one.requests[round] as Request));
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      const changes = await Promise.all(
        databases.map((kind) => changesIn(servers[kind], database, last, kind)),
      );
      const calls = groupOf(
        party
          .take()
          .map(callOf)
          .filter(([, text]) => !sentAgain.test(text)),
      );
      for (const [{ number }, one] of seen) {
        one.rows = changes.flatMap(({ rows }) => rows.get(number) ?? []).join('\n');
        one.log = changes.flatMap(({ log }) => log.get(number) ?? []);
        one.calls = calls.get(number) ?? [];
      }
      for (const difference of compareAll(seen, round)) found.set(difference.trial, difference);
    }
  } finally {
    await service.stop();
    await party.stop();
  }
  return [...found.values()];
}

/** Sends requests to one variant. */
class Sender {
  #next = '';
  #tag = '';

  constructor(
    private readonly url: string,
    private readonly variant: Variant,
  ) {}

  async send({ id, query, header, body }: Request): Promise<Seen> {
    const { number, trial } = this.variant;
    const value = (text: string): string =>
      text === lastNext ? this.#next : text === lastTag ? this.#tag : text;
    const parameters = query.map(([name, text]) => `${name}=${encodeURIComponent(value(text))}`).join('&');
    const headers = Object.entries(header).map(([name, text]): [string, string] => [name, value(text)]);
    const response = await fetch(`${this.url}/v${number}/${encodeURIComponent(id)}?${parameters}`, {
      ...{ method: trial.one.operation.method, redirect: 'manual' },
      headers: [
        ...headers,
        ...(body === undefined ? [] : [['content-type', 'application/json'] as [string, string]]),
      ],
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text().catch((error: unknown) => `cut off: ${String(error)}`);
    this.#next = response.headers.get('x-next') ?? '';
    this.#tag = response.headers.get('etag') ?? '';
    const kept = [...response.headers].filter(([name]) => !ignoredHeaders.has(name));
    // A page token is valid for one operation only.
    const shown = kept.map(([name, text]) => [name, name === 'x-next' ? lastNext : text]);
    return {
      ...{
        status: response.status,
        headers: Object.fromEntries(shown) as Record<string, string>,
        body: text,
      },
      ...{ rows: '', log: [], calls: [] },
    };
  }
}

type Server = Awaited<ReturnType<typeof sharedPostgres>>;

/** All rows changed by operations, and the rows appended since the last call, by variant number. */
async function changesIn(
  server: Server,
  database: string,
  last: Record<Notation['database'], number>,
  kind: Notation['database'],
): Promise<{ rows: Map<number, string[]>; log: Map<number, string[]> }> {
  const flag = 'CASE WHEN flag THEN 1 ELSE 0 END AS flag';
  const items = await server.exec(
    database,
    `SELECT svc, id, name, n, note, ${flag} FROM item ORDER BY svc, id`,
  );
  const log = await server.exec(
    database,
    `SELECT seq, svc, what FROM log WHERE seq > ${last[kind]} ORDER BY seq`,
  );
  last[kind] = Math.max(last[kind], ...log.map(({ seq }) => Number(seq)));
  return {
    rows: groupOf(items.map(({ svc, ...row }) => [Number(svc), JSON.stringify(row)])),
    log: groupOf(log.map(({ svc, what }) => [Number(svc), JSON.stringify(what)])),
  };
}

function groupOf(entries: readonly (readonly [number, string])[]): Map<number, string[]> {
  const groups = new Map<number, string[]>();
  for (const [number, text] of entries) groups.set(number, [...(groups.get(number) ?? []), text]);
  return groups;
}

/** Compares each variant with the first one. */
function compareAll(seen: ReadonlyMap<Variant, Seen>, round: number): Difference[] {
  const groups = new Map<Trial, Variant[]>();
  for (const variant of seen.keys())
    groups.set(variant.trial, [...(groups.get(variant.trial) ?? []), variant]);
  return [...groups.values()].flatMap((variants) => {
    const found = variants.flatMap((variant) => {
      const { isOdd } = variant.trial.one.requests[round] as Request;
      const isComparable = ({ notation }: Variant): boolean =>
        isOdd !== true || notation.database === variant.notation.database;
      const first = variants.find(isComparable) ?? variant;
      const notations = [first.notation, variant.notation] as const;
      const catches = JSON.stringify(variant.trial.one.operation.steps).includes('"onFailure":true');
      const text = difference(seen.get(first) as Seen, seen.get(variant) as Seen, notations, catches);
      if (text === undefined) return [];
      const request = JSON.stringify(variant.trial.one.requests[round]);
      const shown = `request ${round} ${request}\n${text}`;
      return [{ trial: variant.trial, notations, isRefusal: false, text: shown }];
    });
    return found.slice(0, 1);
  });
}
