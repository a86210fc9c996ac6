/**
 * Random services, compiled, type-checked and run on real databases, compared with an interpreter based only on docs/design: same statuses,
 * same bodies, same changes in the same order. RANDOM_SERVICES=2000 runs more services; RANDOM_FROM selects different ones.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compile, checkSource, type Compilation } from '../../compiler/compile.js';
import { SchemaDatabases } from '../../compiler/analyze/database/schema-databases.js';
import type { GeneratedFile } from '../../compiler/generate/emit/module/file.js';
import type { Span } from '../../compiler/read/source.js';
import { assets } from '../emit/compile-text.js';
import { urlOf } from '../database/server-check.js';
import type { AttachedServer } from '../helpers/database-server.js';
import { RunningService } from '../helpers/running-service.js';
import { translateServices } from '../helpers/service-build.js';
import { sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';
import { isOperationOrImport, typeErrors } from '../helpers/type-check.js';
import type { Request, Service } from './language.js';
import { configOf, descriptionOf, printExpr } from './print.js';
import { randomRequests, randomService } from './random-service.js';
import { Interpreter } from './run.js';
import { schema, seed } from './tables.js';

const count = Number(process.env['RANDOM_SERVICES'] ?? 24);
const from = Number(process.env['RANDOM_FROM'] ?? 1);
const requestsPerService = 10;

/** The number of services combined into one program and process: each has its own paths and rows. */
const together = 50;

/** Expected errors: a field that the response of a called operation does not have, and a default written with `||`. */
const refusals = new Set(['unknown-answer-field', 'unknown-entry-field', 'unknown-column', 'or-as-default']);

const services: Service[] = [];
for (let number = from; services.length < count; number += 1) {
  const service = randomService(number, number);
  if (isAccepted(service)) services.push(service);
}
const groups = [false, true].flatMap((isDescribed) =>
  [false, true].flatMap((isTyped) => {
    const ones = services.filter((one) => one.isDescribed === isDescribed && one.isTyped === isTyped);
    return Array.from({ length: Math.ceil(ones.length / together) }, (_, at) => ({
      name: `${isDescribed ? 'described' : 'plain'}-${isTyped ? 'typed-' : ''}${at}`,
      ...{ isDescribed, isTyped },
      services: ones.slice(at * together, (at + 1) * together),
    }));
  }),
);

/** The tables of typed services are known: from the schema for PostgreSQL, and from a server for MariaDB. */
function databasesIn(database: string): SchemaDatabases {
  return new SchemaDatabases((name) =>
    name === 'postgresql'
      ? { kind: 'schema', sources: [{ path: 'schema.sql', text: schema.postgresql }] }
      : { kind: 'server', url: urlOf(servers.mariadb, 'mysql', database) },
  );
}

let servers: Readonly<Record<Service['database'], AttachedServer>>;

beforeAll(async () => {
  const [postgresql, mariadb] = await Promise.all([sharedPostgres(), sharedMariadb()]);
  servers = { postgresql, mariadb };
});

describe.each(groups)('random services $name', ({ name, isDescribed, isTyped, services: all }) => {
  const database = `random_${name.replaceAll('-', '_')}`;
  let group: readonly Service[] = all;
  let certain: Certain = new Map();
  let files: readonly GeneratedFile[];
  let traced: readonly GeneratedFile[] = [];
  let service: RunningService | undefined;

  beforeAll(async () => {
    for (const [kind, server] of Object.entries(servers)) {
      await server.createDatabase(database);
      await server.exec(database, schema[kind as Service['database']]);
    }
    const compileAll = (settings?: object): Promise<Compilation> => {
      const description = {
        source: { path: 'openapi.json', text: JSON.stringify(descriptionOf(group)) },
        read: () => undefined,
      };
      const text = JSON.stringify(configOf(group, settings));
      const input = { config: { path: 'config.yaml', text }, ...(isDescribed ? { description } : {}) };
      return compile(input, assets, undefined, isTyped ? databasesIn(database) : undefined);
    };
    let compilation = await compileAll();
    if (isTyped) {
      const refused = refusedBy(compilation);
      group = all.filter(({ number }) => !refused.has(number));
      if (refused.size > 0) compilation = await compileAll();
      traced = (await compileAll({ debug: true })).files ?? [];
    }
    certain = certainOf(compilation, group);
    const errors = compilation.diagnostics.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ message }) => message)).toEqual([]);
    files = compilation.files ?? [];
  }, 600_000);

  afterAll(async () => {
    await service?.stop();
  });

  test('type-check', () => {
    expect(typeErrors([{ name, files }], isOperationOrImport)).toEqual([]);
    expect(typeErrors([{ name, files: traced }], isOperationOrImport)).toEqual([]);
  }, 600_000);

  test('respond and change what the interpreter does', async () => {
    const folder = translateServices(`random-${name}`, [{ name, files }]).get(name) ?? '';
    const environment: Record<string, string> = { LOG_LEVEL: 'fatal' };
    for (const [kind, server] of Object.entries(servers)) {
      const numbers = group.filter((one) => one.database === kind).map(({ number }) => number);
      if (numbers.length > 0) await server.exec(database, seed(numbers));
      environment[`DATASOURCE_${kind.toUpperCase()}_URL`] = server.jdbcUrl(database);
      environment[`DATASOURCE_${kind.toUpperCase()}_USER`] = server.user;
      environment[`DATASOURCE_${kind.toUpperCase()}_PASSWORD`] = server.password;
    }
    service = await RunningService.start(folder, environment);
    const { url } = service;
    const differences = await Promise.all(
      (['postgresql', 'mariadb'] as const).map(async (kind) => {
        const found: string[] = [];
        for (const one of group.filter((other) => other.database === kind))
          found.push(...(await differencesOf(one, url, servers[kind], database, certain)));
        return found;
      }),
    );
    expect(differences.flat()).toEqual([]);
  }, 600_000);
});

/** The differences between the service and the interpreter, up to the first differing response. */
async function differencesOf(
  service: Service,
  url: string,
  server: AttachedServer,
  database: string,
  certain: Certain,
): Promise<string[]> {
  const wrong: string[] = [];
  const interpreter = new Interpreter(service, ({ name, syntax }, condition, holds) => {
    const text = printExpr(condition, syntax);
    if (certain.get(name)?.get(text) === !holds) wrong.push(`${name}: ${text} is ${String(holds)}`);
  });
  for (const request of randomRequests(service, requestsPerService, service.number)) {
    const expected = interpreter.answer(request);
    const given = await send(request, url);
    const shown = `service ${service.number}: ${JSON.stringify(request)}`;
    const body = expected.body === undefined ? '' : JSON.stringify(expected.body);
    const wanted = `${expected.status} ${expected.isMessageOpen ? '' : body}`;
    const got = `${given.status} ${expected.isMessageOpen ? '' : given.text}`;
    if (got !== wanted) return [`${shown}\n  expected ${wanted}\n  received ${got}`];
  }
  if (wrong.length > 0) return wrong.slice(0, 1);
  const { number } = service;
  const items = await server.exec(database, `SELECT id, n FROM item WHERE svc = ${number} ORDER BY id`);
  const log = await server.exec(database, `SELECT what FROM log WHERE svc = ${number} ORDER BY seq`);
  const { tables } = interpreter;
  const wanted = JSON.stringify([tables.items.map(({ id, n }) => ({ id, n })), tables.log]);
  const got = JSON.stringify([items, log.map(({ what }) => what)]);
  return got === wanted ? [] : [`service ${number}: changes\n  expected ${wanted}\n  received ${got}`];
}

async function send(request: Request, url: string): Promise<{ status: number; text: string }> {
  const [method = '', path = ''] = request.operation.split(' ');
  const query = request.query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const target = `${url}${path.replace('{id}', request.id)}${query === '' ? '' : `?${query}`}`;
  const body = request.body === undefined ? {} : { body: JSON.stringify(request.body) };
  const response = await fetch(target, {
    method,
    ...body,
    headers: 'body' in body ? { 'content-type': 'application/json' } : {},
  });
  return { status: response.status, text: await response.text() };
}

/** Whether the service is free of errors that can be found without a schema. */
function isAccepted(service: Service): boolean {
  const config = { path: 'config.yaml', text: JSON.stringify(configOf([service])) };
  const description = {
    source: { path: 'openapi.json', text: JSON.stringify(descriptionOf([service])) },
    read: () => undefined,
  };
  const { diagnostics } = checkSource({ config, ...(service.isDescribed ? { description } : {}) });
  return !diagnostics.some(({ code }) => refusals.has(code));
}

/** The numbers of typed services with errors: a schema reveals additional errors. */
function refusedBy({ diagnostics }: Compilation): ReadonlySet<number> {
  const found = diagnostics.filter(({ code }) => refusals.has(code));
  return new Set(found.map(({ span }) => operationAt(span).number));
}

/** Conditions with the same value in every call, as reported by warnings, by operation and text. */
type Certain = ReadonlyMap<string, ReadonlyMap<string, boolean>>;

/** Conditions that occur only once in their operation: an expression that occurs more than once may be certain at only one position. */
function certainOf({ diagnostics }: Compilation, group: readonly Service[]): Certain {
  const names = group.flatMap(({ operations }) => operations.map(({ name }) => name));
  const found = new Map(names.map((name) => [name, new Map<string, boolean>()]));
  for (const { code, span } of diagnostics) {
    if (code !== 'never-true' && code !== 'always-true') continue;
    const { name, text } = operationAt(span);
    const written = span.source.text.slice(span.start, span.end).replaceAll(/^"|"$/g, '');
    if (text.split(written).length > 2) continue;
    found.get(name)?.set(JSON.parse(`"${written}"`) as string, code === 'always-true');
  }
  return found;
}

/** The operation that contains a span, and the span's text. */
function operationAt({ source, start }: Span): { name: string; number: number; text: string } {
  const all = [...source.text.matchAll(/"((?:GET \/|POST \/)?s(\d+)[ /][^"]*)":\{/g)];
  const at = all.findLastIndex(({ index }) => index <= start);
  const [, name = '', number] = all[at] ?? [];
  return { name, number: Number(number), text: source.text.slice(all[at]?.index, all[at + 1]?.index) };
}
