/** The modules loaded by every command: database drivers and large packages are only loaded when needed. */
import { expect, test } from 'vitest';
import { importsOf, sourcesBelow } from './sources.js';

const files = new Map(
  [...sourcesBelow('compiler'), ...sourcesBelow('runtime')].map((file) => [file.path, file]),
);

/** The files and packages loaded with a file; dynamic imports count only for the first file, if it is run. */
function loadedWith(first: string, isRun = true): Set<string> {
  const loaded = new Set([first]);
  for (const path of loaded) {
    const file = files.get(path);
    if (file === undefined) continue;
    const later = new Set([...file.text.matchAll(/\bimport\('([^']+)'\)/g)].map(([, name = '']) => name));
    for (const { target, isTypeOnly } of importsOf(file)) {
      const isLater = [...later].some((name) =>
        target.endsWith(name.replace(/^[./]+/, '').replace(/\.js$/, '.ts')),
      );
      if (!isTypeOnly && ((isRun && path === first) || !isLater)) loaded.add(target);
    }
  }
  return loaded;
}

test('a check of a configuration without a schema loads no database, no TypeScript and no prettier', () => {
  const loaded = loadedWith('compiler/tools/commands/check.ts');
  expect(loaded).toContain('compiler/analyze/database/schema-databases.ts');
  expect(
    [...loaded].filter((target) => /^(?:pg|mysql2|@electric-sql|ts-morph|prettier)/.test(target)),
  ).toEqual([]);
  expect(loadedWith('compiler/analyze/database/postgres-server.ts')).toContain('pg');
});

test('help and version load neither the compiler nor a package besides those of the command line', () => {
  const loaded = [
    ...loadedWith('compiler/cli.ts', false),
    ...loadedWith('compiler/tools/commands/command-line.ts', false),
    ...loadedWith('compiler/tools/commands/shared/output/terminal.ts', false),
  ].filter((target) => !target.startsWith('node:'));
  const known =
    /^(?:runtime\/server\/stop-process\.ts$|compiler\/(?:cli\.ts|notation\/|tools\/audit\/risk\.ts|generate\/emit\/service\/target\.ts|tools\/commands\/))/;
  expect(loaded).toContain('compiler/tools/commands/shared/signals.ts');
  expect([...new Set(loaded)].filter((target) => !known.test(target)).sort()).toEqual([
    'commander',
    'picocolors',
  ]);
  expect(loaded).not.toContain('compiler/tools/commands/shared/run-compilation.ts');
});

test.each([
  ['server/service.ts', ['pino']],
  ['postgres/postgres.ts', ['pg']],
  ['mysql/mysql.ts', ['mysql2']],
  ['rest/rest.ts', ['axios']],
  ['uploads/read-form.ts', ['multer']],
  // fetched-keys.ts logs unreadable keys, and every service includes the log anyway.
  ['jwt/fetched-keys.ts', ['jose', 'pino']],
  ['schedule/cron.ts', ['croner']],
  // The package for bcrypt and argon2id is loaded with the first such hash.
  ['passwords/index.ts', []],
  ['passwords/hash-thread.ts', []],
])('of a service %s alone loads %s', (path, packages) => {
  const loaded = [...loadedWith(`runtime/${path}`, false)];
  expect(loaded.filter((target) => !/^(?:node:|runtime\/)/.test(target)).sort()).toEqual(packages);
});

test('Express is loaded by nothing of the runtime', () => {
  expect([...files.values()].flatMap((file) => importsOf(file)).map(({ target }) => target)).not.toContain(
    'express',
  );
});
