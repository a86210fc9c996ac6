/** `apikiln init`: the starter passes `check` without a diagnostic, responds on real servers, and does not overwrite files. */
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';
import { runInitService } from './init-service.js';
import { Workspace } from './workspace.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
});
afterEach(() => {
  space.remove();
});

describe.each(['postgresql', 'mysql'] as const)('a starter for %s', (kind) => {
  test.each(['a', 'b'] as const)('in syntax %s has no errors and runs', async (syntax) => {
    const written = await space.run('init', 'tasks', '--syntax', syntax, '--database', kind);
    expect(written.status).toBe(0);
    expect(written.stderr.includes('Both need a MySQL or MariaDB server: --database')).toBe(kind === 'mysql');
    expect(space.read('tasks/README.md').includes('npx apikiln test --database')).toBe(kind === 'mysql');
    expect(Object.keys(space.files('tasks')).sort()).toEqual([
      '.gitignore',
      'README.md',
      'config.test.yaml',
      'config.yaml',
      'openapi.yaml',
      'schema.sql',
      'seed.sql',
    ]);

    const server = kind === 'postgresql' ? await sharedPostgres() : await sharedMariadb();
    const database = `init_starter_${syntax}`;
    await server.createDatabase(database);
    await server.exec(database, space.read('tasks/schema.sql'));
    await server.exec(database, space.read('tasks/seed.sql'));
    const scheme = kind === 'postgresql' ? 'postgresql' : 'mariadb';
    const { host, port, user, password } = server;
    const url = `${scheme}://${user}:${password}@${host}:${port}/${database}`;
    const fine = { status: 0, stderr: 'tasks/config.yaml is fine.\n' };
    const unchecked =
      kind === 'mysql'
        ? "The SQL of 'tasksdb' was not checked against a schema: name a server that has it, with --database mariadb://user:password@host/tasksdb\n"
        : undefined;
    const { note, ...outcome } = await space.run('check', 'tasks/config.yaml');
    expect(outcome).toMatchObject(fine);
    expect(note).toBe(unchecked);
    expect(await space.run('check', 'tasks/config.yaml', '--database', url)).toMatchObject(fine);
    const explained = await space.run('explain', 'POST /tasks', '-c', 'tasks/config.yaml', '--database', url);
    expect(explained.stdout).toContain('INSERT INTO');
    expect(explained.stdout).not.toContain('bound as unknown');

    const service = await runInitService(space, 'tasks', server, database);
    try {
      const task = {
        id: 2,
        title: 'Change an operation',
        done: false,
        created: expect.any(String) as string,
      };
      expect(await service.ask('GET /tasks?done=false&limit=1')).toEqual({
        status: 200,
        body: { total: 2, items: [task] },
      });
      expect(await service.ask('GET /tasks/2')).toMatchObject({
        status: 200,
        body: {
          ...task,
          comments: [
            { id: 1, author: 'Ada' },
            { id: 2, author: 'Grace' },
          ],
        },
      });
      expect(await service.ask('POST /tasks', { title: 'New' })).toMatchObject({
        status: 201,
        body: { id: 4, title: 'New', done: false },
      });
      const changed = { title: 'Newer', done: true };
      expect(await service.ask('PUT /tasks/4', changed)).toMatchObject({ status: 200, body: changed });
      expect(await service.ask('DELETE /tasks/4')).toEqual({ status: 204, body: undefined });
      for (const missing of ['GET /tasks/4', 'DELETE /tasks/4'])
        expect(await service.ask(missing)).toEqual({ status: 404, body: { message: 'There is no task 4' } });
      expect((await service.ask('PUT /tasks/4', changed)).status).toBe(404);
      expect((await service.ask('POST /tasks', { title: '' })).status).toBe(400);
    } finally {
      await service.stop();
    }
  });
});

test('existing files are listed and kept, and no other file is written', async () => {
  space.write('config.yaml', 'mine');
  space.write('seed.sql', 'mine too');
  const { status, stderr } = await space.run('init');
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr:
      'Nothing was written, because config.yaml, seed.sql already exist. Choose another folder: apikiln init <dir>\n',
  });
  expect(space.files()).toEqual({ 'config.yaml': 'mine', 'seed.sql': 'mine too' });
});

test('one file in the way, and an option that is for something else', async () => {
  space.write('config.yaml', 'mine');
  expect((await space.run('init')).stderr).toContain('because config.yaml already exists.');
  expect(await space.run('init', 'out', '--open')).toMatchObject({
    status: 2,
    stderr: '--open is only valid with --from-database <url>.\n',
  });
});

test('a README and a .gitignore of one’s own are kept', async () => {
  space.write('README.md', 'mine');
  space.write('.gitignore', 'mine');
  const { status, stderr } = await space.run('init', '.');
  expect(status).toBe(0);
  expect(stderr).toContain('README.md: kept unchanged\n');
  expect(stderr).toContain('config.yaml: written\n');
  expect(space.files()).toMatchObject({ 'README.md': 'mine', '.gitignore': 'mine' });
});

test('unchecked SQL of PostgreSQL is reported in the same way', async () => {
  await space.run('init');
  expect((await space.run('check')).note).toBeUndefined();
  rmSync(space.path('schema.sql'));
  expect((await space.run('check', '--no-schema')).note).toBeUndefined();
  expect((await space.run('check')).note).toBe(
    "The SQL of 'tasksdb' was not checked against a schema: write its tables to schema.sql next to the configuration, or name a server that has it, with --database postgresql://user:password@host/tasksdb\n",
  );
  space.write('schema.sql', 'CREATE TYPE word AS ENUM ();');
  expect((await space.run('check')).stderr).toContain(
    'The database has no tables at all: load its schema first',
  );
});

test('a folder that cannot be made', async () => {
  space.write('file', '');
  const { status, stderr } = await space.run('init', 'file/below');
  expect({ status, stderr }).toEqual({
    status: 4,
    stderr: expect.stringContaining('config.yaml cannot be written: ') as string,
  });
});

test('a file instead of a folder, and a folder that a shell would not read', async () => {
  space.write('file', '');
  expect(await space.run('init', 'file')).toMatchObject({
    status: 4,
    stderr: 'file is a file, not a folder.\n',
  });
  expect((await space.run('init', 'my $ervice')).stderr).toContain("\n  cd 'my $ervice'\n");
});

test('unchecked SQL of MySQL is reported once, to people, if there are no errors', async () => {
  await space.run('init', '.', '--database', 'mysql');
  const unchecked = /The SQL of '[^']*' was not checked against a schema/g;
  const printed = async (...args: string[]): Promise<number> => {
    const { note = '', stderr } = await space.run(...args);
    return [...`${note}${stderr}`.matchAll(unchecked)].length;
  };
  expect(await printed('check')).toBe(1);
  expect(await printed('build', '--out', 'out')).toBe(1);
  expect(await printed('check', '--quiet')).toBe(0);
  expect(await printed('check', '--format', 'json')).toBe(0);
  const config = space.read('config.yaml');
  const other = 'datasources:\n  other: { type: db, url: jdbc:mysql://localhost/other }\n';
  space.write('config.yaml', config.replace('datasources:\n', other));
  expect((await space.run('check')).note).toMatch(
    /The SQL of '\w+', '\w+' was not checked against a schema: name a server that has it, with --database \w+=\w+:/,
  );
  space.write('config.yaml', config.replace('fulfillments:', 'fulfilments:'));
  expect(await printed('check')).toBe(0);
});

test('mariadb is another name of mysql', async () => {
  await space.run('init', 'one', '--database', 'mysql');
  await space.run('init', 'other', '--database', 'mariadb');
  expect(space.files('other')).toEqual(space.files('one'));
  expect(space.read('one/.gitignore')).not.toContain('service');
});
