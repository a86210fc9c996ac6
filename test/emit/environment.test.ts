/** `.env.example` and the settings of Kubernetes show where a database is, and never who may use it (decisions 1.5, 5.9). */
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
