/** Random pairs of date-times, compared by a running service and by both databases: every operator, both syntaxes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile } from '../../../compiler/compile.js';
import { SchemaDatabases } from '../../../compiler/analyze/database/schema-databases.js';
import { urlOf } from '../../database/server-check.js';
import { assets } from '../../emit/compile-text.js';
import type { AttachedServer } from '../../helpers/database-server.js';
import { Random } from '../../helpers/random.js';
import { RunningService } from '../../helpers/running-service.js';
import { runs } from '../../helpers/runs.js';
import { translateServices } from '../../helpers/service-build.js';
import { sharedMariadb, sharedPostgres } from '../../helpers/shared-servers.js';

const kinds = ['postgresql', 'mariadb'] as const;
type Kind = (typeof kinds)[number];

/** `z` and `y` have a time zone; `l` is a local date-time; `d` is a date. */
const columns = ['z', 'y', 'l', 'd'] as const;
const schema: Readonly<Record<Kind, string>> = {
  postgresql: 'CREATE TABLE pair (id int PRIMARY KEY, z timestamptz, y timestamptz, l timestamp, d date);',
  mariadb:
    'CREATE TABLE pair (id int PRIMARY KEY, z TIMESTAMP(6) NULL, y TIMESTAMP(6) NULL, l DATETIME(6), d DATE);',
};

const operators = ['<', '<=', '>', '>=', '=', '<>'] as const;
const written: Readonly<Record<string, string>> = { '=': '==', '<>': '!=' };
const names = ['lt', 'le', 'gt', 'ge', 'eq', 'ne'];

/** Each column paired with each other column and with the date-time in the request. */
const pairs = columns.flatMap((left) =>
  [...columns, 'body' as const].filter((right) => right !== left).map((right) => [left, right] as const),
);

function configOf(): object {
  const operation = (kind: Kind, syntax: 'A' | 'B'): object => {
    const body = syntax === 'A' ? 'BODY($.at)' : 'body.at';
    const cast = kind === 'postgresql' ? `:[${body}]::timestamptz` : `:[${body}]`;
    const asked = pairs.flatMap(([left, right]) =>
      operators.map(
        (operator, at) =>
          `${left} ${operator} ${right === 'body' ? cast : right} AS ${left}_${right}_${names[at]}`,
      ),
    );
    const field = (column: string): string => (syntax === 'A' ? `VALUE(@, $.${column})` : `@.${column}`);
    const item = Object.fromEntries(
      pairs.flatMap(([left, right]) =>
        operators.map((operator, at) => [
          `${left}_${right}_${names[at]}`,
          `${field(left)} ${written[operator] ?? operator} ${right === 'body' ? body : field(right)}`,
        ]),
      ),
    );
    const own = Object.fromEntries(Object.keys(item).map((name) => [name, field(name)]));
    const instruction = { query: `SELECT id, z, y, l, d, ${asked.join(', ')} FROM pair ORDER BY id` };
    return {
      fulfillments: [
        {
          ...{ name: 'pairs', type: 'READ', datasource: kind },
          ...(syntax === 'A' ? { instructions: [instruction] } : { queries: [instruction] }),
        },
      ],
      responses: [
        {
          ...{ name: 'ok', default: true, statuscode: 200 },
          schema: {
            list: syntax === 'A' ? 'VALUE(pairs, $)' : 'pairs',
            item: {
              times: Object.fromEntries(columns.map((one) => [one, field(one)])),
              service: item,
              database: own,
            },
          },
        },
      ],
    };
  };
  return {
    specification: '1.0',
    operations: Object.fromEntries(
      kinds.flatMap((kind) =>
        (['A', 'B'] as const).map((syntax) => [`POST /${kind}/${syntax}`, operation(kind, syntax)]),
      ),
    ),
    datasources: {
      postgresql: { type: 'db', url: 'jdbc:postgresql://localhost/times' },
      mariadb: { type: 'db', url: 'jdbc:mysql://localhost/times' },
    },
  };
}

const request = {
  required: true,
  content: {
    'application/json': {
      schema: {
        ...{ type: 'object', required: ['at'] },
        properties: { at: { type: 'string', format: 'date-time' } },
      },
    },
  },
};
const description = {
  openapi: '3.0.3',
  info: { title: 'Times', version: '1' },
  paths: Object.fromEntries(
    kinds.flatMap((kind) =>
      ['A', 'B'].map((syntax) => [
        `/${kind}/${syntax}`,
        { post: { requestBody: request, responses: { 200: { description: 'The pairs' } } } },
      ]),
    ),
  ),
};

const fractions = ['', '.5', '.500001', '.499999', '.12', '.123', '.1', '.000001', '.999999'];

/** Within a few seconds of a few days, so that many values are equal or differ only in their fractions. */
function randomTime(random: Random): string {
  const day = random.pick(['2026-01-01', '2026-01-02', '2026-02-28', '2024-02-29', '1999-12-31']);
  return `${day} ${random.pick(['00:00:00', '00:00:01', '09:00:00', '23:59:59'])}${random.pick(fractions)}`;
}

/** Rare PostgreSQL timestamps. */
const rare = [
  'infinity',
  '-infinity',
  '0044-03-15 10:00:00 BC',
  '10000-01-01 00:00:00.5',
  '0001-01-01 00:00:00',
];

function rowsOf(kind: Kind, count: number, random: Random): string {
  const time = (): string => {
    if (random.chance(5)) return 'NULL';
    const isRare = kind === 'postgresql' && random.chance(15);
    return `'${isRare ? random.pick(rare) : randomTime(random)}'`;
  };
  const rows = random.some(
    count,
    (id) => `(${id}, ${time()}, ${time()}, ${time()}, ${time().replace(/ \d\d:[\d:.]+/, '')})`,
  );
  const zone = kind === 'postgresql' ? "SET TIME ZONE 'UTC'" : "SET time_zone = '+00:00'";
  return `${zone}; INSERT INTO pair VALUES ${rows.join(', ')};`;
}

/** The date-time in a request: any offset, possibly with trailing zeros in the fraction. */
function randomInstant(random: Random): string {
  const fraction = random.pick([...fractions, '.50', '.500', '.1230', '.000']);
  const zone = random.pick(['Z', '+00:00', '+02:00', '-05:30', '+14:00', 'z']);
  return `${random.pick(['2026-01-01', '2026-01-02', '2024-02-29'])}T${random.pick(['00:00:00', '02:00:00', '09:00:00', '11:00:00'])}${fraction}${zone}`;
}

let service: RunningService | undefined;

beforeAll(async () => {
  const [postgresql, mariadb] = await Promise.all([sharedPostgres(), sharedMariadb()]);
  const servers: Readonly<Record<Kind, AttachedServer>> = { postgresql, mariadb };
  const environment: Record<string, string> = { LOG_LEVEL: 'fatal' };
  for (const kind of kinds) {
    const server = servers[kind];
    await server.createDatabase('times');
    await server.exec('times', schema[kind]);
    await server.exec('times', rowsOf(kind, runs(100, 5000), new Random(7)));
    environment[`DATASOURCE_${kind.toUpperCase()}_URL`] = server.jdbcUrl('times');
    environment[`DATASOURCE_${kind.toUpperCase()}_USER`] = server.user;
    environment[`DATASOURCE_${kind.toUpperCase()}_PASSWORD`] = server.password;
  }
  const databases = new SchemaDatabases((name) =>
    name === 'postgresql'
      ? { kind: 'schema', sources: [{ path: 'schema.sql', text: schema.postgresql }] }
      : { kind: 'server', url: urlOf(mariadb, 'mysql', 'times') },
  );
  const input = {
    config: { path: 'config.yaml', text: JSON.stringify(configOf()) },
    description: {
      source: { path: 'openapi.json', text: JSON.stringify(description) },
      read: () => undefined,
    },
  };
  const { files = [], diagnostics } = await compile(input, assets, undefined, databases);
  expect(diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
  const folder = translateServices('times', [{ name: 'times', files }]).get('times') ?? '';
  service = await RunningService.start(folder, environment);
}, 300_000);

afterAll(async () => {
  await service?.stop();
});

test.each(kinds.flatMap((kind) => [`/${kind}/A`, `/${kind}/B`]))(
  '%s compares as its database does',
  async (path) => {
    const random = new Random(11);
    for (let round = 0; round < runs(3, 40); round += 1) {
      const at = randomInstant(random);
      const response = await fetch(`${service?.url ?? ''}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ at }),
      });
      const text = await response.text();
      expect(response.status, text).toBe(200);
      const rows = JSON.parse(text) as readonly Record<
        'times' | 'service' | 'database',
        Record<string, unknown>
      >[];
      expect(rows.length).toBeGreaterThan(0);
      for (const { times, service: own, database } of rows)
        for (const [name, value] of Object.entries(database)) {
          // In SQL, a comparison with NULL is NULL; in the language, null equals only null and cannot be ordered.
          const [left = '', right = ''] = name
            .split('_')
            .map((one) => (one === 'body' ? at : times[one]) as string);
          const byNull = name.endsWith('eq') ? left === right : name.endsWith('ne') && left !== right;
          expect(own[name], `${left} ${name} ${right}`).toBe(value ?? byNull);
        }
    }
  },
  300_000,
);
