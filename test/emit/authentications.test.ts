/**
 * Authentications in generated code: their names never become code, credentials do not appear, and without authentications no related code
 * is generated.
 */
import { expect, test } from 'vitest';
import { Analysis } from '../../compiler/analyze/operations/analysis.js';
import { check } from '../../compiler/analyze/check/check-config.js';
import { readWithSql } from '../helpers/read-with-sql.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { readEnvFile } from '../../runtime/server/environment.js';
import { buildServices } from '../helpers/service-build.js';
import { filesOf, textOf } from './compile-text.js';
import { manyRuns, runs } from '../helpers/runs.js';
import { hostileTexts } from './hostile.js';
import { shapeOf } from './shape.js';

const secret = 'correct-horse-battery';

function configOf(
  authentications: Readonly<Record<string, string>>,
  operations: Readonly<Record<string, readonly string[] | undefined>>,
): object {
  const fulfillments = [
    { name: 'a', type: 'READ', datasource: 'db', instructions: [{ query: 'SELECT 1 AS a' }] },
  ];
  const responses = [{ name: 'ok', default: true, statuscode: 200 }];
  return {
    specification: '1.0',
    operations: Object.fromEntries(
      Object.entries(operations).map(([name, named]) => [
        name,
        { fulfillments, responses, ...(named && { authentications: named }) },
      ]),
    ),
    datasources: { db: { type: 'db', url: 'jdbc:postgresql://localhost/db' } },
    authentications: Object.fromEntries(
      Object.entries(authentications).map(([name, user]) => [
        name,
        { type: 'basicauth', user, password: `${secret} ${user}` },
      ]),
    ),
  };
}

function isAccepted(config: object): boolean {
  const report = new Report();
  const read = readWithSql(JSON.stringify(config), report);
  if (read !== undefined) check(new Analysis(read, undefined, report.errors), report);
  return !report.hasErrors;
}

const paths = ['src/authentications.ts', 'src/router.ts', 'src/main.ts'];

/** One operation for each authentication, and one that accepts all of them. */
function manyOf(names: readonly string[]): object {
  const operations = Object.fromEntries(names.map((name, index) => [`GET /a/${index}`, [name]]));
  return configOf(Object.fromEntries(names.map((name) => [name, name])), {
    ...operations,
    'GET /b': undefined,
  });
}

test('a hostile name or user becomes code of the same shape as a plain one, or a diagnostic', async () => {
  // Names that share an environment variable are put into different services.
  const groups: string[][] = [];
  const tried = hostileTexts.filter((_, index) => manyRuns || index % 3 === 0);
  for (const text of tried.filter((one) => isAccepted(manyOf([one])))) {
    const group = groups.find((names) => isAccepted(manyOf([...names, text])));
    if (group === undefined) groups.push([text]);
    else group.push(text);
  }
  expect(groups.flat().length).toBeGreaterThan(runs(3, 20));
  const services = await Promise.all(
    groups.map(async (names, index) => ({ name: String(index), files: await filesOf(manyOf(names)) })),
  );
  for (const [index, { files }] of services.entries()) {
    const harmless = (groups[index] ?? []).map((_, at) => `admin${at}`);
    const twin = await filesOf(manyOf(harmless));
    for (const path of paths) expect(shapeOf(textOf(files, path)), path).toBe(shapeOf(textOf(twin, path)));
  }
  // Compiling the largest service of each shape is enough.
  buildServices('authentications', services.slice(0, 1));
});

test('names that collide with operations, with the runtime or with each other are distinguished', async () => {
  const names = [
    'getA',
    'basicAuth',
    'createRouter',
    'authentications',
    'router',
    'new',
    'get-a',
    'getA!',
    '1',
    '新',
  ];
  const config = configOf(Object.fromEntries(names.map((name) => [name, 'u'])), {
    'GET /a': names,
    'GET /b': undefined,
    'GET /c': [],
  });
  // Names that share an environment variable are a separate error.
  const own = names.filter((name) => name !== 'get-a' && name !== 'getA!');
  expect(isAccepted(config)).toBe(false);
  const files = await filesOf(
    configOf(Object.fromEntries(own.map((name) => [name, 'u'])), { 'GET /a': own, 'GET /b': undefined }),
  );
  buildServices('authentication-names', [{ name: 'one', files }]);
  expect(textOf(files, 'src/router.ts')).toContain("load: (): Loaded => import('./operations/get-a.js'),");
});

test('accounts are in .env alone', async () => {
  const files = await filesOf(configOf({ admin: 'canary-user' }, { 'GET /a': undefined }));
  for (const { path, text } of files)
    if (path !== '.env') expect(text.includes(secret) || text.includes('canary-user'), path).toBe(false);
  const { values } = readEnvFile(textOf(files, '.env'));
  expect(values.get('AUTHENTICATION_ADMIN_USER')).toEqual(['canary-user']);
  expect(values.get('AUTHENTICATION_ADMIN_PASSWORD')).toEqual([`${secret} canary-user`]);
});

test('a service without authentications has nothing of them', async () => {
  const files = await filesOf(configOf({}, { 'GET /a': undefined, 'GET /b': [] }));
  expect(files.map(({ path }) => path)).not.toContain('src/authentications.ts');
  for (const path of ['src/router.ts', 'src/main.ts', '.env.example'])
    expect(textOf(files, path)).not.toMatch(/authentication/i);
});

test('open operations that set a cookie to a value from elsewhere are for known pages', async () => {
  const compute = { name: 'made', type: 'COMPUTE', schema: { id: 'UUID()', name: 'BODY($.name)' } };
  const row = { name: 'row', type: 'READ', datasource: 'db', instructions: [{ query: 'SELECT 1 AS id' }] };
  const constant = { name: 'c', type: 'COMPUTE', schema: { one: 'INTEGER(1)' } };
  const request = { name: 'token', type: 'UPDATE', datasource: 'idp' };
  const instructions = [{ request: { url: '/token', httpType: 'POST' } }];
  const operations = {
    'POST /uuid': ['s=:[UUID()]', constant],
    'PUT /computed': ['s=:[VALUE(made, $.id)]', compute],
    'POST /row': ['s=:[VALUE(row, $[0].id)]; Path=/', row],
    'DELETE /joined': ['s=:[CONCAT(TEXT("a"), VALUE(row, $[0].id))]', row],
    'POST /third': ['s=:[RESPONSE_HEADER(token, Session)]', { ...request, instructions }],
    'GET /link': ['s=:[UUID()]', constant],
    'POST /constant': ['s=; Max-Age=0', constant],
    'POST /sent': ['s=:[BODY($.name)]', constant],
    'POST /closed': ['s=:[UUID()]', constant],
  } as const;
  const config = {
    specification: '1.0',
    operations: Object.fromEntries(
      Object.entries(operations).map(([name, [cookie, fulfillment]]) => [
        name,
        {
          authentications: name === 'POST /closed' ? ['staff'] : [],
          fulfillments: [fulfillment],
          responses: [{ name: 'ok', default: true, statuscode: 204, header: [`Set-Cookie: ${cookie}`] }],
        },
      ]),
    ),
    datasources: {
      db: { type: 'db', url: 'jdbc:postgresql://localhost/db' },
      idp: { type: 'rest', url: 'https://id.example.com' },
    },
    authentications: { staff: { type: 'basicauth', user: 'a', password: secret } },
  };
  const router = textOf(await filesOf(JSON.stringify(config)), 'src/router.ts');
  const known = router.split('},').filter((route) => route.includes('access: knownPages([])'));
  const paths = known.map((route) => /method: '(\w+)',\s+path: '(\S+)'/.exec(route)?.slice(1).join(' '));
  expect(paths).toEqual(['POST /uuid', 'PUT /computed', 'POST /row', 'DELETE /joined', 'POST /third']);
});
