/** The pages about the runtime have an entry for each name that services import from it, and no other one. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entries } from '../../compiler/generate/emit/service/runtime-package.js';
import {
  moduleOf,
  runtimeNames,
  runtimePackage,
  type RuntimeValue,
} from '../../compiler/generate/plan/names/runtime-symbols.js';
import { repository } from '../helpers/service-fixture.js';
import { readDocument } from './code-blocks.js';

/** Names that modules of user code import from a part. */
const ofUsers: readonly string[] = ['knex/knexOf'];
/** Names that `src/main.ts` imports, whose emitter writes the specifiers itself. */
const ofMain: readonly string[] = [
  'api-docs/createApiDocs',
  'own-code/openOwnCode',
  'server/startService',
  'test-page/createTestPage',
];

/** The names that a module exports by name, types included. */
function exportsOf(path: string): string[] {
  const text = readFileSync(join(repository, 'runtime', `${path}.ts`), 'utf8');
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim().replace(/^type /, '')),
  );
  const own = [...text.matchAll(/^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm)].map(
    ([, name = '']) => name,
  );
  return [...new Set([...lists, ...own])].filter((name) => name !== '').sort();
}

/** The names that begin the entries of a text. */
function entriesIn(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.startsWith('- **`'));
  return lines.flatMap((line) => [...line.matchAll(/\*\*`(\w+)`\*\*/g)].map(([, name = '']) => name));
}

const api = readDocument('docs/reference/runtime-api.md');
const parts = readDocument('docs/reference/runtime-parts.md');

test('each name that handlers and user code import is documented once', () => {
  const documented = entriesIn(api.text);
  expect(documented.toSorted()).toEqual(exportsOf('index'));
});

const sections = parts.text
  .split(/^## /m)
  .slice(1)
  .map((section) => ({ part: section.split('\n')[0] ?? '', names: entriesIn(section) }));

/** The names of the parts, as `postgres/postgres`. */
const imported = new Set([
  ...runtimeNames
    .map((name) => `${moduleOf(name as RuntimeValue).specifier}/${name}`)
    .filter((name) => name.startsWith(`${runtimePackage}/`) && name.split('/').length === 4)
    .map((name) => name.slice(runtimePackage.length + 1)),
  ...Object.entries(entries)
    .filter(([, module]) => module.endsWith('/index'))
    .flatMap(([part, module]) => exportsOf(module).map((name) => `${part}/${name}`)),
  ...ofMain,
  ...ofUsers,
]);

test('each name that other modules import from a part is documented', () => {
  const documented = sections.flatMap(({ part, names }) => names.map((name) => `${part}/${name}`));
  expect(documented.toSorted()).toEqual([...imported].sort());
});

test.each(sections)('the names of $part are exports of that part', ({ part, names }) => {
  const module = entries[part];
  if (module === undefined) throw new Error(`The runtime has no part '${part}'`);
  expect(names.filter((name) => !exportsOf(module).includes(name))).toEqual([]);
});

test.each([...api.blocks, ...parts.blocks])('the example of line $line is in a generated module', (block) => {
  const [path = ''] = block.words;
  expect(readFileSync(join(repository, path), 'utf8')).toContain(block.text);
});
