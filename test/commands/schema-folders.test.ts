/** Folders of migrations in the layouts of common tools: the schema files, their order, and the watched paths. */
import { relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SchemaOptions } from '../../compiler/tools/commands/shared/files/find-schemas.js';
import { findDatabases } from '../../compiler/tools/commands/shared/files/find-schemas.js';
import type { Place } from '../../compiler/tools/commands/shared/files/read-text.js';
import { configuration, Workspace } from './workspace.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
  space.write('config.yaml', configuration('GET /a'));
});

afterEach(() => {
  space.remove();
});

interface Read {
  readonly files: readonly string[] | undefined;
  readonly watched: readonly string[];
}

function place(): Place {
  return { config: space.path('config.yaml'), folder: space.folder };
}

/** Writes empty files and returns those that make up the schema. */
function read(paths: readonly string[], options: SchemaOptions = {}): Read {
  for (const path of paths) space.write(path, '');
  const watched = new Set<string>();
  const note = (path: string): void => {
    watched.add(relative(space.folder, path));
  };
  const known = findDatabases(options, { ...place(), note })('newsdb', [['newsdb']]);
  const files = known?.kind === 'schema' ? known.sources.map(({ path }) => path) : undefined;
  return { files, watched: [...watched] };
}

describe('folders', () => {
  test('of Prisma: one for each migration, sorted by name', () => {
    const { files, watched } = read([
      'migrations/20240301120000_b/migration.sql',
      'migrations/20231231120000_a/migration.sql',
      'migrations/migration_lock.toml',
    ]);
    expect(files).toEqual([
      'migrations/20231231120000_a/migration.sql',
      'migrations/20240301120000_b/migration.sql',
    ]);
    // New files and folders are noticed by watching their parent folder.
    expect(watched).toEqual(
      expect.arrayContaining(['migrations', 'migrations/20240301120000_b', ...(files ?? [])]),
    );
  });

  test('of Diesel and Hasura: without down.sql', () => {
    const { files } = read(
      [
        'db/main/2024-02-01-000000_b/up.sql',
        'db/main/2024-02-01-000000_b/down.sql',
        'db/main/00000000000000_diesel_initial_setup/up.sql',
        'db/main/00000000000000_diesel_initial_setup/down.sql',
      ],
      { schema: ['db'] },
    );
    expect(files).toEqual([
      'db/main/00000000000000_diesel_initial_setup/up.sql',
      'db/main/2024-02-01-000000_b/up.sql',
    ]);
  });

  test('with files: other folders next to them are not read', () => {
    expect(read(['migrations/10_b.sql', 'migrations/2_a.sql', 'migrations/archive/1.sql']).files).toEqual([
      'migrations/2_a.sql',
      'migrations/10_b.sql',
    ]);
  });

  test('that are hidden or lead back are not read', () => {
    expect(read(['migrations/.old/1.sql', 'migrations/down/1.sql', 'migrations/up/1.sql']).files).toEqual([
      'migrations/up/1.sql',
    ]);
  });

  test('without SQL: an error where it is named, no schema where it is only there', () => {
    const paths = ['migrations/0001_initial.py', 'migrations/old/down.sql'];
    const { files, watched } = read(paths);
    expect(files).toBeUndefined();
    expect(watched).toContain('migrations/old');
    expect(() => read(paths, { schema: ['migrations'] })).toThrow(
      '--schema migrations: there is no SQL file in this folder. Looked for *.sql, and where there are none for */*.sql',
    );
  });
});

describe('several datasources', () => {
  const databases = [['rows', 'keys'], ['other']];
  const sourceOf = (name: string, all = databases, options: SchemaOptions = {}): string | undefined => {
    const find = findDatabases(options, place());
    const known = find(name, all);
    return known?.kind === 'schema' ? known.sources[0]?.path : known?.url;
  };

  test('of one database have one schema: their own, that of the others, or that of the only database', () => {
    space.write('schema.sql', '');
    expect([sourceOf('rows', [['rows', 'keys']]), sourceOf('keys', [['rows', 'keys']])]).toEqual([
      'schema.sql',
      'schema.sql',
    ]);
    expect([sourceOf('rows'), sourceOf('keys')]).toEqual([undefined, undefined]);
    space.write('schema.keys.sql', '');
    expect([sourceOf('rows'), sourceOf('keys'), sourceOf('other')]).toEqual([
      'schema.keys.sql',
      'schema.keys.sql',
      undefined,
    ]);
    space.write('schema.rows.sql', '');
    expect([sourceOf('rows'), sourceOf('keys')]).toEqual(['schema.rows.sql', 'schema.keys.sql']);
  });

  test('are named with an option once', () => {
    space.write('a.sql', '');
    expect(sourceOf('keys', databases, { schema: ['rows=a.sql'] })).toBe('a.sql');
    expect(sourceOf('keys', [['rows', 'keys']], { schema: ['a.sql'] })).toBe('a.sql');
    expect(sourceOf('rows', databases, { database: ['keys=postgres://a/b'] })).toBe('postgres://a/b');
    expect(sourceOf('other', databases, { database: ['keys=postgres://a/b'] })).toBeUndefined();
    expect(() => sourceOf('rows', databases, { schema: ['a.sql'] })).toThrow('There are several databases');
  });
});

test('check knows the tables of a folder in folders', async () => {
  space.write('config.yaml', configuration('GET /a').replace("SELECT 'GET /a'", 'SELECT a, c FROM news'));
  space.write('migrations/1_a/migration.sql', 'CREATE TABLE news (a int, b int);');
  space.write('migrations/2_b/migration.sql', 'ALTER TABLE news RENAME b TO d;');
  expect((await space.check()).stderr).toContain('column "c" does not exist');
  space.write('migrations/2_b/migration.sql', 'ALTER TABLE news RENAME b TO c;');
  expect((await space.check()).stderr).toBe('config.yaml is fine.\n');
});

test('check says that a folder of migrations has none', async () => {
  space.write('config.yaml', configuration('GET /a'));
  space.write('migrations/0001_initial.py', '');
  expect(await space.check()).toMatchObject({
    status: 0,
    note: expect.stringMatching(
      /was not checked against a schema, because there is no SQL file in migrations \(looked for \*\.sql, .*\): write its tables to schema\.sql/,
    ) as string,
  });
});

test('tables are those of the search path, also of a URL that is the default of a variable', async () => {
  space.write(
    'schema.sql',
    'CREATE SCHEMA app; CREATE TABLE app.pot (id bigint PRIMARY KEY, name text NOT NULL);',
  );
  const url = '${SHOP_URL:jdbc:postgresql://localhost/shop?currentSchema=app}';
  const step = `{ name: pots, type: READ, datasource: shop, queries: [{ query: SELECT id FROM pot }] }`;
  const response = `{ name: ok, default: true, statuscode: 200, schema: { id: 'pots[0].id' } }`;
  space.write(
    'config.yaml',
    `specification: "1.0"
operations:
  GET /a: { fulfillments: [${step}], responses: [${response}] }
datasources:
  shop: { type: db, driver: org.postgresql.Driver, url: '${url}' }
`,
  );
  expect(await space.run('check')).toMatchObject({ status: 0, stderr: 'config.yaml is fine.\n' });
});
