/**
 * Every pair of extensions in one operation: the promises of each extension hold for the pair, or the compiler refuses the pair for a
 * reason listed here. The long run tries a part of the pairs, MANY_RUNS=1 all.
 */
import { copied } from '../../compiler/notation/written.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkSource, compile } from '../../compiler/compile.js';
import { assets } from '../emit/compile-text.js';
import { everyOf } from '../helpers/runs.js';
import { RunningService } from '../helpers/running-service.js';
import { translateServices } from '../helpers/service-build.js';
import { sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';
import { ThirdParty, type Behaviour } from '../helpers/third-party.js';
import { isOperationOrImport, typeErrors } from '../helpers/type-check.js';
import { features, idsIn, operationWith, type Database, type Feature } from './extensions.js';

interface Case {
  readonly number: number;
  readonly chosen: readonly Feature[];
  readonly database: Database;
}

/** The error codes of refused pairs. */
const refusals: Readonly<Record<string, string>> = {
  'transaction + reference that fails': 'on-failure-in-transaction',
  'outbox + reference that fails': 'on-failure-in-transaction',
  // Timers do not have a caller.
  'rows of the caller + timer': 'context-of-nobody',
};

const key = 'k'.repeat(40);
/** The bcrypt hash of `lètmein`. */
const accountHash = '$2b$04$abcdefghijklmnopqrstuuanVo7Xut1CH8VGIGlz1JovQh9GJbbtG';
const schema = `CREATE TABLE thing (id int PRIMARY KEY, name varchar(20) NOT NULL, seen boolean NOT NULL);
  INSERT INTO thing (id, name, seen) VALUES (1, 'row1', true), (2, 'row2', true), (3, 'row3', true), (4, 'row4', true), (5, 'row5', true);`;
const tenantsRole = 'extension_pairs_user';

const cases = casesOf().filter(({ number }) => number % everyOf(12) === 0);
let party: ThirdParty;
let service: RunningService | undefined;
const flaky = new Map<string, number>();

beforeAll(async () => {
  party = await ThirdParty.start(behaviour);
});

afterAll(async () => {
  await service?.stop();
  await party.stop();
});

test('each of two features does what it does alone', async () => {
  const refused = cases.flatMap((one) => {
    const errors = checkSource({ config: { path: 'config.yaml', text: configOf([one]) } }).diagnostics.filter(
      ({ severity }) => severity === 'error',
    );
    return errors.length === 0
      ? []
      : [[titleOf(one), [...new Set(errors.map(({ code }) => code))].join()] as const];
  });
  expect(Object.fromEntries(refused)).toEqual(
    Object.fromEntries(
      cases.flatMap((one) => (titleOf(one) in refusals ? [[titleOf(one), refusals[titleOf(one)]]] : [])),
    ),
  );
  const accepted = cases.filter((one) => !(titleOf(one) in refusals));
  const { files, diagnostics } = await compile(
    { config: { path: 'config.yaml', text: configOf(accepted) } },
    assets,
  );
  if (files === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  const name = 'extension-pairs';
  expect(typeErrors([{ name, files }], isOperationOrImport)).toEqual([]);
  const code: Readonly<Record<string, string>> = {
    'src/code/twice.ts': 'export const twice = ({ n }: { n: number }) => ({ n: 2 * n });',
    'src/code/loud.ts': 'export const loud = (text: string) => text.toUpperCase();',
  };
  const own = files.map((file) => {
    const text = code[file.path];
    return text === undefined ? file : { ...file, text: copied(text) };
  });
  const folder = translateServices(name, [{ name, files: own }]).get(name) ?? '';
  service = await RunningService.start(folder, await environmentOf());
  const differences: string[] = [];
  for (const one of accepted) differences.push(...(await differencesOf(one, service.url)));
  expect(differences).toEqual([]);
  expect(accepted.length).toBeGreaterThan(30);
}, 900_000);

/** Each feature alone and each pair, on both databases. */
function casesOf(): Case[] {
  const found: Case[] = [];
  for (const database of ['postgresql', 'mariadb'] as const)
    for (const [at, one] of features.entries())
      for (const other of features.slice(at)) {
        const chosen = one === other ? [one] : [one, other];
        const isExclusive = one !== other && one.slot !== undefined && one.slot === other.slot;
        const isElsewhere =
          database !== 'postgresql' && chosen.some(({ onlyPostgres }) => onlyPostgres === true);
        if (!isExclusive && !isElsewhere) found.push({ number: found.length, chosen, database });
      }
  return found;
}

function titleOf({ chosen }: Case): string {
  return chosen.map(({ name }) => name).join(' + ');
}

function configOf(all: readonly Case[]): string {
  const called = (['postgresql', 'mariadb'] as const).map((database): [string, object] => [
    `one of ${database}`,
    {
      fulfillments: [
        {
          ...{ name: 'one', type: 'READ', datasource: database },
          instructions: [{ query: 'SELECT name FROM thing WHERE id = :[PARAM(id)]' }],
          exceptions: [{ if: 'VALUE(one, $[0]) == NULL()', statuscode: 404, message: 'none' }],
        },
      ],
      responses: [{ name: 'ok', default: true, statuscode: 200, schema: { name: 'VALUE(one, $.name)' } }],
    },
  ]);
  const outbox = (database: Database): object => ({ type: 'rest', url: '${PARTY_URL}', outbox: database });
  return JSON.stringify(
    {
      specification: '1.0',
      functions: { loud: { input: [{ type: 'string' }], returns: { type: 'string' } } },
      operations: Object.fromEntries([
        ...all.map(({ number, chosen, database }): [string, object] => [
          `GET /p${number}`,
          { authentications: [], ...operationWith(chosen, number, database) },
        ]),
        ...called,
        [
          'find account',
          {
            responses: [
              {
                ...{ name: 'ok', default: true, statuscode: 200 },
                schema: { sub: 'PARAM(user)', passwordHash: `TEXT(${accountHash})` },
              },
            ],
          },
        ],
      ]),
      datasources: {
        postgresql: { type: 'db', url: 'jdbc:postgresql://localhost/db' },
        mariadb: { type: 'db', url: 'jdbc:mariadb://localhost/db' },
        tenants: {
          ...{ type: 'db', url: 'jdbc:postgresql://localhost/db', role: tenantsRole },
          context: { 'app.tenant': 'CALLER($.sub)' },
        },
        party: { type: 'rest', url: '${PARTY_URL}' },
        outbox_postgresql: outbox('postgresql'),
        outbox_mariadb: outbox('mariadb'),
      },
      authentications: {
        keys: { type: 'apikey', header: 'X-Key', keys: { pairs: '${PAIR_KEY}' } },
        accounts: { type: 'basicauth', operation: 'find account' },
      },
    },
    null,
    1,
  );
}

async function environmentOf(): Promise<Record<string, string>> {
  const [postgresql, mariadb] = await Promise.all([sharedPostgres(), sharedMariadb()]);
  const database = 'extension_pairs';
  const environment: Record<string, string> = {
    ...{ LOG_LEVEL: 'error', PARTY_URL: party.url, PAIR: 'env', PAIR_KEY: key },
  };
  for (const server of [postgresql, mariadb]) {
    await server.createDatabase(database);
    await server.exec(database, schema);
  }
  await postgresql.exec(
    database,
    `DROP ROLE IF EXISTS ${tenantsRole}; CREATE ROLE ${tenantsRole}; GRANT SELECT ON thing TO ${tenantsRole};`,
  );
  for (const [name, server] of [
    ['POSTGRESQL', postgresql],
    ['TENANTS', postgresql],
    ['MARIADB', mariadb],
  ] as const) {
    environment[`DATASOURCE_${name}_URL`] = server.jdbcUrl(database);
    environment[`DATASOURCE_${name}_USER`] = server.user;
    environment[`DATASOURCE_${name}_PASSWORD`] = server.password;
  }
  return environment;
}

async function differencesOf(one: Case, url: string): Promise<string[]> {
  const { number, chosen, database } = one;
  const send = async (query: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${url}/p${number}?name=b&${query}`, { headers: { 'X-Key': key, ...headers }, redirect: 'manual' });
  const response = await send('');
  const text = await response.text();
  const title = `${titleOf(one)} (${database})`;
  if (response.status !== 200)
    return [`${title}: ${response.status} ${text} ${service?.printed.slice(-600) ?? ''}`];
  const ids = idsIn(text);
  const expected = [1, 2, 3, 4, 5].slice(0, Math.min(...chosen.map(({ rows = 5 }) => rows)));
  const again = async (
    query: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; text: string }> => {
    const next = await send(query, headers);
    return { status: next.status, text: await next.text() };
  };
  const broken = await Promise.all(
    chosen.map(async (feature) => feature.broken({ response, text, ids, again, party, number })),
  );
  const rows = JSON.stringify(ids) === JSON.stringify(expected) ? [] : [`the rows are ${text}`];
  return [...rows, ...broken.flat()].map((difference) => `${title}: ${difference}`);
}

/** A third party with a value and a header, a value that fails at first, a missing one, a truncated one, and messages. */
const behaviour: Behaviour = ({ url = '', method }, response) => {
  const count = flaky.get(url) ?? 0;
  flaky.set(url, count + 1);
  if (url === '/cut') response.destroy();
  else if (url.startsWith('/flaky/') && count % 2 === 0) response.writeHead(503).end();
  else if (url.startsWith('/flaky/') || url === '/value' || method === 'POST') {
    response.writeHead(200, { 'content-type': 'application/json', 'x-kind': 'kind' });
    response.end('{"value":"served"}');
  } else response.writeHead(404).end();
};
