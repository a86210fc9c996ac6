/** Configurations with tests in separate folders, and `apikiln test` run there. */
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AttachedServer } from '../helpers/database-server.js';
import { repository } from '../helpers/service-fixture.js';
import { Workspace } from '../commands/workspace.js';

/** The files of a service fixture, with its user code. */
export function fixtureSpace(name: string): Workspace {
  const space = new Workspace();
  const folder = join(repository, 'fixtures/services', name);
  for (const file of ['config.yaml', 'config.test.yaml', 'openapi.yaml', 'schema.sql', 'seed.sql']) {
    if (existsSync(join(folder, file))) cpSync(join(folder, file), space.path(file));
  }
  const code = join(folder, 'code');
  if (existsSync(code)) cpSync(code, space.path('service/src/code'), { recursive: true });
  return space;
}

/** A file of a service fixture. */
export function fixtureFile(name: string, file: string): string {
  return readFileSync(join(repository, 'fixtures/services', name, file), 'utf8');
}

/** The lines with names of tests, without times. */
export function verdicts(stdout: string): string[] {
  return stdout.split('\n').flatMap((line) => /^[✓✗] .*(?= \(\d+ ms\)$)/.exec(line)?.[0] ?? []);
}

/** The URL of a database for `--database`; the default account is the server's. */
export function urlOf(
  server: AttachedServer,
  database: string,
  user = server.user,
  password = server.password,
): string {
  const [head = '', tail = ''] = server
    .jdbcUrl(database)
    .replace(/^jdbc:/, '')
    .split('//');
  return `${head}//${encodeURIComponent(user)}:${encodeURIComponent(password)}@${tail}`;
}
