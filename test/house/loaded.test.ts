/** What every command loads: drivers of databases and the large packages wait until something needs them. */
import { expect, test } from 'vitest';
import { importsOf, sourcesBelow } from './sources.js';

const files = new Map(
  [...sourcesBelow('compiler'), ...sourcesBelow('runtime')].map((file) => [file.path, file]),
);

/** The files and packages that are loaded with a file; what it loads later on only where it is the first one. */
function loadedWith(first: string): Set<string> {
  const loaded = new Set([first]);
  for (const path of loaded) {
    const file = files.get(path);
    if (file === undefined) continue;
    const later = new Set([...file.text.matchAll(/\bimport\('(\.[^']+)'\)/g)].map(([, name = '']) => name));
    for (const { target, isTypeOnly } of importsOf(file)) {
      const isLater = [...later].some((name) =>
        target.endsWith(name.replace(/^[./]+/, '').replace(/\.js$/, '.ts')),
      );
      if (!isTypeOnly && (path === first || !isLater)) loaded.add(target);
    }
  }
  return loaded;
}

test('a check of a configuration without a schema loads no database, no TypeScript and no prettier', () => {
  const loaded = loadedWith('compiler/cli.ts');
  expect(loaded).toContain('compiler/database/schema-databases.ts');
  expect(
    [...loaded].filter((target) => /^(?:pg|mysql2|@electric-sql|ts-morph|prettier|knex)/.test(target)),
  ).toEqual([]);
  expect(loadedWith('compiler/database/postgres-server.ts')).toContain('pg');
});
