/** The pages about the runtime have an entry for exactly the names that services import from it. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import {
  moduleOf,
  runtimeNames,
  runtimePackage,
  type RuntimeValue,
} from '../../compiler/generate/plan/names/runtime-symbols.js';
import { repository } from '../helpers/service-fixture.js';
import { runtimePaths } from '../helpers/type-check.js';
import { readDocument } from './code-blocks.js';

/** The module of each part of the runtime, without file extension. */
const modules: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(runtimePaths).map(([name, [path = '']]) => [
    name.slice(runtimePackage.length + 1) || 'index',
    relative(join(repository, 'runtime'), path).replace(/\.ts$/, ''),
  ]),
);

/** Names imported from the runtime by modules of user code. */
const ofUsers: readonly string[] = ['knex/knexOf'];
/** Names imported by `src/main.ts`, whose emitter writes the import specifiers itself. */
const ofMain: readonly string[] = [
  'api-docs/createApiDocs',
  'own-code/openOwnCode',
  'server/startService',
  'test-page/createTestPage',
];

/** The named exports of a module, including types. */
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

/** The names at the beginning of the text's entries. */
function entriesIn(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.startsWith('- **`'));
  return lines.flatMap((line) => [...line.matchAll(/\*\*`(\w+)`\*\*/g)].map(([, name = '']) => name));
}

const api = readDocument('docs/reference/runtime-api.md');
const parts = readDocument('docs/reference/runtime-parts.md');

/** The sections of a page, each with the part named in its heading; the default is the runtime itself. */
function sectionsOf(text: string, partOf: (heading: string) => string) {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => ({ part: partOf(section.split('\n')[0] ?? ''), names: entriesIn(section) }))
    .filter(({ names }) => names.length > 0);
}

const sections = [
  ...sectionsOf(api.text, (heading) => /`@apikiln\/runtime\/([\w-]+)`/.exec(heading)?.[1] ?? 'index'),
  ...sectionsOf(parts.text, (heading) => heading),
];

/** The names exported by the parts, such as `postgres/postgres`; those of the runtime itself as `index/fail`. */
const imported = new Set([
  ...exportsOf('index').map((name) => `index/${name}`),
  ...runtimeNames
    .map((name) => `${moduleOf(name as RuntimeValue).specifier}/${name}`)
    .filter((name) => name.startsWith(`${runtimePackage}/`) && name.split('/').length === 4)
    .map((name) => name.slice(runtimePackage.length + 1)),
  ...Object.entries(modules)
    .filter(([part, module]) => part !== 'index' && module.endsWith('/index'))
    .flatMap(([part, module]) => exportsOf(module).map((name) => `${part}/${name}`)),
  ...ofMain,
  ...ofUsers,
]);

test('each name that services import is documented once', () => {
  const documented = sections.flatMap(({ part, names }) => names.map((name) => `${part}/${name}`));
  expect(documented.toSorted()).toEqual([...imported].sort());
});

test.each(sections)('the names of $part are exports of that part', ({ part, names }) => {
  const module = modules[part];
  if (module === undefined) throw new Error(`The runtime has no part '${part}'`);
  expect(names.filter((name) => !exportsOf(module).includes(name))).toEqual([]);
});

test.each([...api.blocks, ...parts.blocks])('the example of line $line is in a generated module', (block) => {
  const [path = ''] = block.words;
  expect(readFileSync(join(repository, path), 'utf8')).toContain(block.text);
});
