/**
 * Values in a response serve as the oracle for the expressions next to them: an operation has values of every origin, and expressions over
 * them, at every position, so a model of the databases is not needed. MANY_RUNS=1 tries 100,000 evaluations.
 */
import { copied } from '../../compiler/notation/written.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SchemaDatabases } from '../../compiler/analyze/database/schema-databases.js';
import { compile, type Compilation } from '../../compiler/compile.js';
import type { GeneratedFile } from '../../compiler/generate/emit/module/file.js';
import type { Diagnostic } from '../../compiler/read/diagnostics/diagnostic.js';
import { urlOf } from '../database/server-check.js';
import { assets } from '../emit/compile-text.js';
import type { AttachedServer } from '../helpers/database-server.js';
import { Random } from '../helpers/random.js';
import { RunningService } from '../helpers/running-service.js';
import { manyRuns, runs } from '../helpers/runs.js';
import { translateServices } from '../helpers/service-build.js';
import { sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';
import { ThirdParty, type Behaviour } from '../helpers/third-party.js';
import { isOperationOrImport, typeErrors } from '../helpers/type-check.js';
import { evaluate, textOf, type Scope } from './evaluate.js';
import type { Expr, Json } from './language.js';
import { code, configOf, descriptionOf, schema, seed } from './leaves/config.js';
import { keyOf } from './leaves/expressions.js';
import { leafOperations, type Database, type LeafOperation } from './leaves/services.js';
import { printExpr } from './print.js';

const operationsOfGroup = runs(12, 120);
const requestsOfOperation = runs(4, 8);
const maxTime = manyRuns ? 7_200_000 : 600_000;

/** Errors by which the compiler may refuse an expression whose result cannot fit its position. */
const refusals = new Set(['or-as-default', 'environment-compared', 'value-never-fits']);

let servers: Readonly<Record<Database, AttachedServer>>;
let party: ThirdParty;

beforeAll(async () => {
  const [postgresql, mariadb] = await Promise.all([sharedPostgres(), sharedMariadb()]);
  servers = { postgresql, mariadb };
  party = await ThirdParty.start(behaviour);
});

afterAll(() => party.stop());

const groups = [false, true].flatMap((isTyped) =>
  [false, true].map((isDescribed) => ({
    name: `leaves-${isTyped ? 'typed' : 'untyped'}-${isDescribed ? 'described' : 'plain'}`,
    ...{ isTyped, isDescribed, seed: 2 * Number(isTyped) + Number(isDescribed) },
  })),
);

describe.each(groups)('$name', ({ name, isTyped, isDescribed, seed: number }) => {
  const database = name.replaceAll('-', '_');
  let operations = leafOperations(isTyped, isDescribed, operationsOfGroup, number);
  let files: readonly GeneratedFile[] = [];
  let service: RunningService | undefined;

  beforeAll(async () => {
    for (const server of Object.values(servers)) {
      await server.createDatabase(database);
      await server.exec(database, schema);
      await server.exec(database, seed);
    }
    const databases = isTyped ? databasesIn(database) : undefined;
    for (;;) {
      const text = JSON.stringify(configOf(operations), null, 1);
      const compilation = await compileAll(text, operations, isDescribed, databases);
      const errors = compilation.diagnostics.filter(({ severity }) => severity === 'error');
      if (errors.length === 0) {
        files = compilation.files ?? [];
        return;
      }
      operations = withoutRefused(operations, errors, text);
    }
  }, maxTime);

  afterAll(async () => {
    await service?.stop();
  });

  test(
    'type-check',
    () => {
      expect(typeErrors([{ name, files }], isOperationOrImport)).toEqual([]);
    },
    maxTime,
  );

  test(
    'are determined by the values next to them',
    async () => {
      const own = files.map((file) => ({ ...file, text: copied(code[file.path] ?? file.text) }));
      const folder = translateServices(name, [{ name, files: own }]).get(name) ?? '';
      const environment: Record<string, string> = { LOG_LEVEL: 'fatal', PARTY_URL: party.url, LEAF: 'b' };
      for (const [kind, server] of Object.entries(servers)) {
        environment[`DATASOURCE_${kind.toUpperCase()}_URL`] = server.jdbcUrl(database);
        environment[`DATASOURCE_${kind.toUpperCase()}_USER`] = server.user;
        environment[`DATASOURCE_${kind.toUpperCase()}_PASSWORD`] = server.password;
      }
      service = await RunningService.start(folder, environment);
      const differences: string[] = [];
      let evaluations = 0;
      for (const operation of operations) {
        const random = new Random(operation.number);
        for (let at = 0; at < requestsOfOperation; at += 1) {
          const found = await compared(operation, service.url, random);
          evaluations += found.evaluations;
          differences.push(...found.differences);
        }
      }
      expect(differences.slice(0, 20)).toEqual([]);
      expect(evaluations).toBeGreaterThan(operationsOfGroup * requestsOfOperation * 10);
    },
    maxTime,
  );
});

function databasesIn(database: string): SchemaDatabases {
  return new SchemaDatabases((name) =>
    name === 'postgresql'
      ? { kind: 'schema', sources: [{ path: 'schema.sql', text: schema }] }
      : { kind: 'server', url: urlOf(servers.mariadb, 'mysql', database) },
  );
}

function compileAll(
  text: string,
  operations: readonly LeafOperation[],
  isDescribed: boolean,
  databases: SchemaDatabases | undefined,
): Promise<Compilation> {
  const description = {
    source: { path: 'openapi.json', text: JSON.stringify(descriptionOf(operations)) },
    read: () => undefined,
  };
  const input = { config: { path: 'config.yaml', text }, ...(isDescribed ? { description } : {}) };
  return compile(input, assets, undefined, databases);
}

/** The operations without refused expressions. Throws on any other error, and on errors outside expressions. */
function withoutRefused(
  operations: readonly LeafOperation[],
  errors: readonly Diagnostic[],
  text: string,
): LeafOperation[] {
  const refused = new Map<number, string[]>();
  for (const { code: reason, message, span } of errors) {
    const before = text.slice(0, span.start);
    const number = Number([...before.matchAll(/"POST \/o(\d+)": \{/g)].at(-1)?.[1]);
    // Each value is on a separate line.
    const line = before.lastIndexOf('\n') + 1;
    const strings = [...text.slice(line, text.indexOf('\n', line)).matchAll(/"(?:[^"\\]|\\.)*"/g)];
    const written = strings.findLast(({ index }) => line + index <= span.start)?.[0] ?? '""';
    if (!refusals.has(reason)) throw new Error(`${reason}: ${message} ${written}`);
    refused.set(number, [...(refused.get(number) ?? []), written]);
  }
  const left = operations.map((operation) => {
    const all = refused.get(operation.number) ?? [];
    const isRefused = (expr: Expr): boolean => {
      const one = JSON.stringify(printExpr(expr, operation.syntax)).slice(1, -1);
      return all.some((written) => written.includes(one));
    };
    return { ...operation, expressions: operation.expressions.filter((expr) => !isRefused(expr)) };
  });
  const count = (all: readonly LeafOperation[]): number =>
    all.reduce((sum, { expressions }) => sum + expressions.length, 0);
  if (count(left) === count(operations))
    throw new Error(`no expression is that of ${JSON.stringify([...refused])}: ${errors[0]?.message ?? ''}`);
  return left;
}

/** Sends a request, and compares the expressions in its response with the values next to them. */
async function compared(
  operation: LeafOperation,
  url: string,
  random: Random,
): Promise<{ evaluations: number; differences: string[] }> {
  const { target, init } = randomRequest(operation, url, random);
  const response = await fetch(target, init);
  const text = await response.text();
  const shown = `${operation.position} ${operation.syntax} ${target.slice(url.length)} ${JSON.stringify(init)}`;
  if (![200, 203, 418].includes(response.status))
    return { evaluations: 0, differences: [`${shown}: ${response.status} ${text}`] };
  const body = JSON.parse(text) as Json;
  const records = (Array.isArray(body) ? body : [body]) as Record<string, Json>[];
  const header = response.headers.get('x-first');
  const differences = records.flatMap((record) =>
    differencesIn(operation, header === null ? record : { ...record, first: header }).map(
      (difference) => `${shown}: ${difference}`,
    ),
  );
  return { evaluations: records.length * operation.expressions.length, differences };
}

function differencesIn(operation: LeafOperation, record: Record<string, Json>): string[] {
  const { leaves, expressions, position, syntax } = operation;
  const isFlat = position === 'mapping';
  const read = (isFlat ? record : record['leaves']) as Record<string, Json>;
  const found = (isFlat ? record : record['found']) as Record<string, Json>;
  const values = new Map(leaves.map((one, at) => [keyOf(one), read[`l${at}`] ?? null]));
  const stored = new Map(
    ['0', '1', '2', '3'].flatMap((index) => {
      const value = values.get(`VALUE_BY_INDEX(item, INTEGER(${index}), $)`) ?? null;
      return value === null ? [] : [[index, value] as const];
    }),
  );
  const scope: Scope = {
    ...{
      param: () => null,
      body: null,
      element: null,
      values,
      isB: syntax === 'B',
      observe: () => undefined,
    },
    stored: new Map([['item', stored]]),
  };
  const isTrue = (expr: Expr): boolean => ['true', true].includes(evaluate(expr, scope) as string | boolean);
  const expected = (expr: Expr): Json => {
    if (position === 'conditions') return isTrue(expr);
    return position === 'texts' ? `v${textOf([expr], scope)}` : evaluate(expr, scope);
  };
  const differences = expressions.flatMap((expr, at) => {
    const [wanted, got] = [expected(expr), found[`e${at}`]];
    if (JSON.stringify(wanted) === JSON.stringify(got)) return [];
    // A time has no order with other strings, but whether a column is known to be a time depends on the schema.
    if (/\bday\b.*[<>]|[<>].*\bday\b/.test(printExpr(expr, syntax))) return [];
    const used = [...values].filter(([key]) => printExpr(expr, syntax).includes(key));
    return [
      `${printExpr(expr, syntax)} is ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}; ${JSON.stringify(used)}`,
    ];
  });
  const [first, last, other] = [expressions[0], expressions.at(-1), expressions.at(-2)];
  const also: (readonly [string, Expr | undefined, Json])[] = [
    ...('first' in record && first ? [['first', first, `v${textOf([first], scope)}`] as const] : []),
    ...('last' in record && last ? [['last', last, isTrue(last)] as const] : []),
    ...('other' in record && other ? [['other', other, isTrue(other)] as const] : []),
  ];
  for (const [key, expr, wanted] of also) {
    // Trailing spaces in headers are removed.
    const got = typeof record[key] === 'string' ? record[key].trimEnd() : record[key];
    if (got === (typeof wanted === 'string' ? wanted.trimEnd() : wanted)) continue;
    differences.push(
      `${key} ${printExpr(expr ?? { is: 'constant', value: null }, syntax)} is ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`,
    );
  }
  return differences;
}

function randomRequest(
  { number }: LeafOperation,
  url: string,
  random: Random,
): { target: string; init: { method: string; headers: Record<string, string>; body?: string } } {
  const query = new URLSearchParams({ id: random.pick(['0', '1', '1', '2', '2', '3', '7']) });
  const maybe = (name: string, values: readonly string[]): void => {
    if (random.chance(60)) query.append(name, random.pick(values));
  };
  maybe('y', ['a', 'b', '1', 'true', '']);
  maybe('t', ['a', 'b', 'b', '2']);
  maybe('x', ['1', '2', '7']);
  maybe('many', ['a', 'b']);
  maybe('many', ['1', 'b']);
  const headers: Record<string, string> = { 'X-Key': 'k'.repeat(40) };
  if (random.chance(50)) headers['X-Note'] = random.pick(['a', 'b', 'true', '1']);
  if (random.chance(50)) headers['Cookie'] = `c=${random.pick(['a', 'b', 'true'])}`;
  const target = `${url}/o${number}?${query.toString()}`;
  if (random.chance(15)) return { target, init: { method: 'POST', headers } };
  headers['Content-Type'] = 'application/json';
  return { target, init: { method: 'POST', headers, body: JSON.stringify(randomBody(random)) } };
}

function randomBody(random: Random): Json {
  const maybe = (name: string, value: () => Json): Record<string, Json> =>
    random.chance(65) ? { [name]: value() } : {};
  return {
    n: random.below(3),
    maybe: random.pick([null, 0, 1.5, 2]),
    ...maybe('t', () => random.pick(['a', 'b', 'true', '1'])),
    ...maybe('kind', () => random.pick(['a', 'b', 'c'])),
    ...maybe('flag', () => random.chance(50)),
    ...maybe('off', () => random.pick([true, false, null])),
    ...maybe('list', () => random.pick<Json>([[], [1, 'a', null], ['b'], [{ name: 'a' }]])),
    ...maybe('map', () => random.pick<Json>([{}, { a: 1 }, { a: 'b', b: { name: 'x' } }])),
    ...maybe('tags', () => random.pick<Json>([[], ['a'], ['b', 'true']])),
    ...maybe('rows', () =>
      random.pick<Json>([[{ id: 1, name: 'b' }], [{ id: 2 }, { id: 1, name: null }], [], null]),
    ),
    who: { name: random.pick(['a', 'b', '1']), ...maybe('home', () => random.pick([null, { town: 'b' }])) },
  };
}

/** A third party that returns a thing by id, a failure, or an echo. */
const behaviour: Behaviour = ({ url, method, headers }, response, sent) => {
  const { pathname, searchParams } = new URL(url ?? '', 'http://party');
  const reply = (status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-kind': 'b' });
    response.end(JSON.stringify(body));
  };
  const id = searchParams.get('id');
  if (pathname === '/thing')
    reply(200, { name: id === '1' ? 'b' : 'a', n: 1, nothing: null, list: id === '2' ? ['b'] : [] });
  else if (pathname === '/fail') reply(id === '1' ? 200 : 404, { message: 'b' });
  else if (method === 'POST') reply(200, JSON.parse(sent.toString()));
  else reply(200, { q: searchParams.get('q'), header: headers['x-e'] });
};
