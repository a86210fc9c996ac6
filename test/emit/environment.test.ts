/** `.env.example` and the Kubernetes settings show the address of a database but never its credentials. */
import { expect, test } from 'vitest';
import { compile } from '../../compiler/compile.js';
import { assets, filesOf, textOf } from './compile-text.js';

/** A configuration with a database that has this URL. */
function configOf(url: string): object {
  return {
    specification: '1.0',
    operations: {
      'GET /a': {
        fulfillments: [{ name: 'a', type: 'READ', datasource: 'db', instructions: [{ query: 'SELECT 1' }] }],
        responses: [{ name: 'ok', default: true, statuscode: 200 }],
      },
    },
    datasources: { db: { type: 'db', url, driver: 'pg', user: 'somebody', password: 'hunter2' } },
    settings: { licence: 'hunter2' },
  };
}

async function example(url: string): Promise<string> {
  const files = await filesOf(configOf(url));
  for (const { path, text } of files) if (path !== '.env') expect(text, path).not.toContain('hunter2');
  const [, line = ''] = /^# DATASOURCE_DB_URL=(.*)$/m.exec(textOf(files, '.env.example')) ?? [];
  return line.replace(/^"(.*)"$/, '$1');
}

const url = 'jdbc:postgresql://host:5432/db';

test.each([
  [url, url],
  [`${url}?user=me&password=hunter2`, url],
  ['jdbc:postgresql://me:hunter2@host:5432/db', url],
  ['jdbc:postgresql://me:hunter2/x@host:5432/db', url],
  ['jdbc:postgresql://me:x@hunter2@host:5432/db', url],
  ['jdbc:postgresql://${U:me}:${P:hunter2}@host:5432/db', url],
  ['jdbc:postgresql://${U:me}:${P:?hunter2?}@host:5432/db', url],
  ['jdbc:postgresql://${U:me}:${P}@${H:host}:5432/${D:db}', 'jdbc:postgresql://${H:host}:5432/${D:db}'],
  [
    'jdbc:postgresql://${H:host}:${N:5432}/db?password=${P:hunter2}',
    'jdbc:postgresql://${H:host}:${N:5432}/db',
  ],
  ['jdbc:postgresql://${ALL:me:hunter2@host}/db', 'jdbc:postgresql://${ALL}/db'],
  ['${URL:jdbc:postgresql://me:hunter2@host/db}', '${URL}'],
  ['${URL}', '${URL}'],
  [
    `${url}?sslmode=verify-full&currentSchema=\${S:shop}`,
    `${url}?sslmode=verify-full&currentSchema=\${S:shop}`,
  ],
  [`${url}?sslmode=require&password=hunter2`, `${url}?sslmode=require`],
  [`${url}?ApplicationName=\${M:?hunter2}`, `${url}?ApplicationName=\${M}`],
  [`${url}?trustStorePassword=hunter2&connectTimeout=5`, `${url}?connectTimeout=5`],
])('%s is shown as %s', async (url, shown) => {
  expect(await example(url)).toBe(shown);
});

test.each([
  ['jdbc:postgresql://${H:localhost}:${N:5432}/db', 'jdbc:postgresql://localhost:5432/db'],
  ['jdbc:postgresql://${H:-localhost}:${N:-5432}/db', 'jdbc:postgresql://localhost:5432/db'],
  ['jdbc:postgresql://${H}:${N:5432}/db', ''],
])('the settings of Kubernetes have the defaults of %s', async (url, value) => {
  const config = { path: 'config.yaml', text: JSON.stringify(configOf(url)) };
  const { files = [] } = await compile({ config, target: 'kubernetes' }, assets);
  expect(textOf(files, 'kubernetes/settings.yaml')).toContain(
    `DATASOURCE_DB_URL: ${JSON.stringify(value)}\n`,
  );
});

/** The line for a third-party API in `.env.example` with its comment, and the line for containers in the README. */
async function restExample(url: string): Promise<{ comment: string; example: string; container: string }> {
  const files = await filesOf({
    specification: '1.0',
    operations: {
      'GET /a': {
        fulfillments: [
          {
            ...{ name: 'a', type: 'READ', datasource: 'api' },
            instructions: [{ request: { url: '/a', httpType: 'GET' } }],
          },
        ],
        responses: [{ name: 'ok', default: true, statuscode: 200 }],
      },
    },
    datasources: { api: { type: 'rest', url } },
  });
  const [, comment = '', example = ''] =
    /^# (url of .*)\n# DATASOURCE_API_URL=(.*)$/m.exec(textOf(files, '.env.example')) ?? [];
  const [, container = ''] = /^DATASOURCE_API_URL=(.*)$/m.exec(textOf(files, 'README.md')) ?? [];
  return { comment, example: example.replace(/^"(.*)"$/, '$1'), container };
}

const meaning = "url of datasource 'api'";
const cut = `${meaning}, without parts that may be secret`;

function same(text: string): [string, string] {
  return [text, text];
}

test.each([
  ['https://api.example.com/v1', meaning, 'https://api.example.com/v1', 'https://api.example.com/v1'],
  // The container's line is empty, so that it does not look complete without the key.
  ['https://api.example.com/v1?key=${KEY}', meaning, 'https://api.example.com/v1?key=${KEY}', ''],
  ['https://api.example.com/v1?key=hunter2', cut, 'https://api.example.com/v1', ''],
  ['https://api.example.com/v1?key=${KEY:hunter2}', cut, 'https://api.example.com/v1', ''],
  ['https://api.example.com/v1?a=b&key=${KEY}', cut, 'https://api.example.com/v1?key=${KEY}', ''],
  // The path of a webhook is a secret: it is all that a caller needs.
  ['https://hooks.example.com/services/T0/B0/x7Gq2ZbV9', cut, 'https://hooks.example.com', ''],
  ['https://hooks.example.com/3f2b9c1e-aaaa-4bbb-8ccc-0123456789ab', cut, 'https://hooks.example.com', ''],
  ['https://hooks.example.com/hook/abcdefghijklmnopqrst', cut, 'https://hooks.example.com', ''],
  ['https://me:hunter2@hooks.example.com/T0B0/x', cut, 'https://hooks.example.com', ''],
  ['https://hooks.example.com/T0/B0?key=${KEY}', cut, 'https://hooks.example.com?key=${KEY}', ''],
  ['${HOOKS}/services/T0/B0', cut, '${HOOKS}', ''],
  ['${HOOK:https://hooks.example.com/T0/B0}', meaning, '${HOOK}', ''],
  ['https://hooks.example.com/${PATH:x7Gq2ZbV9}', meaning, 'https://hooks.example.com/${PATH}', ''],
  [
    'https://api.example.com/rest/2.0/order-items/',
    meaning,
    ...same('https://api.example.com/rest/2.0/order-items/'),
  ],
])('%s: "%s", example %s, in the README "%s"', async (url, comment, example, container) => {
  expect(await restExample(url)).toEqual({ comment, example, container });
});
