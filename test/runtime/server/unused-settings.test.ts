/** Settings reported as unused, depending on the service, and names recognized as misspellings of others. */
import { expect, test } from 'vitest';
import { createRouter } from '../../../runtime/http/router.js';
import { formBody } from '../../../runtime/forms/form-body.js';
import { reply } from '../../../runtime/responses/reply.js';
import type { Datasource, Schedule, Service } from '../../../runtime/server/contracts.js';
import type { Log } from '../../../runtime/server/log.js';
import { readSettings } from '../../../runtime/server/settings.js';
import { apiVersion } from '../../../runtime/server/api-version.js';
import { logUnusedSettings } from '../../../runtime/server/unused-settings.js';

const party = { name: 'party', open: () => [], close: () => undefined } satisfies Datasource;
const database = {
  ...party,
  name: 'newsdb',
  connections: () => ({ active: 0, idle: 0, waiting: 0 }),
} as unknown as Datasource;

const every = {
  FILE_LIMIT: '1',
  PART_LIMIT: '1',
  UPLOAD_MEMORY: '1048576',
  SCHEDULE: 'on',
  SCHEDULE_LEDGER: 'newsdb',
  SCHEDULE_TIMEOUT: '1',
  POOL_WAIT: '1',
  ROW_LIMIT: '1',
  RESULT_LIMIT: '1024',
  RESPONSE_LIMIT: '1',
  MANAGEMENT_HOST: 'localhost',
};

function said(
  service: Partial<Omit<Service, 'api'>>,
  variables: Readonly<Record<string, string>>,
  envFile = '',
): readonly string[] {
  const lines: string[] = [];
  const write = (level: string) => (_fields: object, message: string) => lines.push(`${level} ${message}`);
  const log = { info: write('info'), warn: write('warn') } as unknown as Log;
  const urls = { DATASOURCE_NEWSDB_URL: 'a', DATASOURCE_PARTY_URL: 'b' };
  const settings = readSettings({
    variables: { ...urls, ...variables },
    envFile,
    datasources: service.datasources ?? [party, database],
  });
  const defaults: Service = { api: apiVersion, router: createRouter([]), datasources: [party, database] };
  logUnusedSettings({ ...defaults, ...service }, settings, log);
  return lines;
}

const uploads = createRouter([
  {
    method: 'POST',
    path: '/files',
    handler: () => reply(204),
    body: formBody({ multipart: () => Promise.reject(new Error()) }),
  },
]);

test('a service that uses all of them says nothing', () => {
  const service = { router: uploads, schedule: {} as Schedule };
  expect(said(service, { ...every, MANAGEMENT_PORT: '0' })).toEqual([]);
  expect(said({}, {})).toEqual([]);
  // An empty value counts as unset.
  expect(said({}, { FILE_LIMIT: '', SCHEDULE: '' })).toEqual([]);
});

test.each([
  [{}, 'FILE_LIMIT, PART_LIMIT, UPLOAD_MEMORY, SCHEDULE, SCHEDULE_LEDGER, SCHEDULE_TIMEOUT, MANAGEMENT_HOST'],
  [{ router: uploads }, 'SCHEDULE, SCHEDULE_LEDGER, SCHEDULE_TIMEOUT, MANAGEMENT_HOST'],
  [
    { router: uploads, schedule: {} as Schedule, datasources: [party] },
    'POOL_WAIT, ROW_LIMIT, RESULT_LIMIT, MANAGEMENT_HOST',
  ],
  [{ router: uploads, schedule: {} as Schedule, datasources: [database] }, 'RESPONSE_LIMIT, MANAGEMENT_HOST'],
])('what the service cannot use is one entry at level info', (service, names) => {
  const own = said(service, every).filter((line) => line.startsWith('info'));
  expect(own).toEqual([`info No effect in this service: ${names}`]);
});

test('a form without files, pools of a third party, and a value in .env', () => {
  const router = createRouter([
    {
      method: 'POST',
      path: '/form',
      handler: () => reply(204),
      body: formBody({ urlencoded: () => Promise.reject(new Error()) }),
    },
  ]);
  expect(said({ router }, { DATASOURCE_PARTY_POOL_MAX: '3' }, 'FILE_LIMIT=5\n')).toEqual([
    'info No effect in this service: FILE_LIMIT, DATASOURCE_PARTY_POOL_MAX',
  ]);
});

test('a wrong value stops the start, also of a setting without effect', () => {
  expect(() => said({}, { FILE_LIMIT: 'much' })).toThrow('FILE_LIMIT must be a whole number');
});

test('a name that nothing reads is a warning with the nearest one that is not set', () => {
  const of = (name: string): readonly string[] => said({}, { [name]: 'x' });
  const unread = (name: string, meant: string): string[] => [
    `warn ${name} is not read by this service; did you mean ${meant}?`,
  ];
  expect(of('DATASOURCE_NEWSBD_USER')).toEqual(unread('DATASOURCE_NEWSBD_USER', 'DATASOURCE_NEWSDB_USER'));
  expect(of('DATASOURCE_NEWSDB_PASWORD')).toEqual(
    unread('DATASOURCE_NEWSDB_PASWORD', 'DATASOURCE_NEWSDB_PASSWORD'),
  );
  // The similar name is already set, so this is not a misspelling.
  expect(of('DATASOURCE_NEWSDB2_URL')).toEqual(['warn Not read by this service: DATASOURCE_NEWSDB2_URL']);
  expect(of('DATASOURCE_NEWSDB_PORT')).toEqual(['warn Not read by this service: DATASOURCE_NEWSDB_PORT']);
  expect(of('DATASOURCES_NEWSDB_URL')).toEqual([]);
  // Values in .env are mostly examples, so they do not count as set.
  expect(said({}, { DATASOURCE_NEWSBD_USER: 'x' }, 'DATASOURCE_NEWSDB_USER=y\n')).toEqual(
    unread('DATASOURCE_NEWSBD_USER', 'DATASOURCE_NEWSDB_USER'),
  );
});

test.each([
  ['NEWSDB_PASS', 'NEWSDB_PASSWORD'],
  ['NEWSDB_PWD', 'NEWSDB_PASSWORD'],
  ['NEWSBD_PASS', 'NEWSDB_PASSWORD'],
  ['NEWSDB_USERNAME', 'NEWSDB_USER'],
  ['NEWSDBUSER', 'NEWSDB_USER'],
  ['newsdb_user', 'NEWSDB_USER'],
  ['PARTY_POOL_SIZE', 'PARTY_POOL_MAX'],
])('DATASOURCE_%s means DATASOURCE_%s', (name, meant) => {
  expect(said({}, { [`DATASOURCE_${name}`]: 'x' })).toEqual([
    `warn DATASOURCE_${name} is not read by this service; did you mean DATASOURCE_${meant}?`,
  ]);
});

test('a field that is similar to no other has no suggestion', () => {
  const names = ['NEWSDB_DB', 'NEWSDB_SSL', 'OTHER_PASS', 'NEWSDB_PORT'].map((name) => `DATASOURCE_${name}`);
  const set = Object.fromEntries(names.map((name) => [name, 'x']));
  expect(said({}, set)).toEqual([`warn Not read by this service: ${names.sort().join(', ')}`]);
});

test('if a setting is missing, the error of the start includes the name that was set instead', () => {
  const start = (variables: Readonly<Record<string, string>>) => () =>
    readSettings({ variables, datasources: [database] });
  expect(
    start({ DATASOURCE_NEWSDB_URI: 'a', DATASOURCE_NEWSDB_PASS: 'b', 'DATASOURCE_\u001bOTHER': 'c' }),
  ).toThrow(
    [
      'DATASOURCE_NEWSDB_URL is not set: it is the field url of the datasource newsdb',
      'DATASOURCE_NEWSDB_PASS is not read by this service; did you mean DATASOURCE_NEWSDB_PASSWORD?',
      'DATASOURCE_NEWSDB_URI is not read by this service; did you mean DATASOURCE_NEWSDB_URL?',
      'Not read by this service: DATASOURCE_?OTHER',
    ].join('\n'),
  );
});

test('a ledger has no effect if timers are off', () => {
  const service = { schedule: {} as Schedule };
  expect(said(service, { SCHEDULE: 'off', SCHEDULE_LEDGER: 'newsdb' })).toEqual([
    'info No effect in this service: SCHEDULE_LEDGER',
  ]);
});

test('names that values refer to are read, and many unread ones are one entry', () => {
  const envFile = 'DATASOURCE_NEWSDB_URL=${DATASOURCE_HOST:a}\nDATASOURCE_HOST=b\n';
  expect(said({}, {}, envFile)).toEqual([]);
  const many = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`AUTHENTICATION_${String(index).padStart(2, '0')}`, 'x']),
  );
  const [line = '', ...others] = said({}, { ...many, [`DATASOURCE_${'X'.repeat(100_000)}`]: 'x' });
  expect(others).toEqual([]);
  expect(line).toMatch(/^warn Not read by this service: AUTHENTICATION_00, .*, AUTHENTICATION_09 …$/);
});
