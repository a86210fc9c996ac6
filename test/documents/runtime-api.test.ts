/** The pages about the runtime have an entry for exactly the names that its parts export. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { runtimePackage } from '../../compiler/generate/plan/names/runtime-symbols.js';
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

const handlers = ['api', 'datasources'].map((name) => readDocument(`docs/reference/runtime-${name}.md`));
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
  ...handlers.flatMap(({ text }) =>
    sectionsOf(text, (heading) => /`@apikiln\/runtime\/([\w-]+)`/.exec(heading)?.[1] ?? 'index'),
  ),
  ...sectionsOf(parts.text, (heading) => heading),
];

/** The names exported by the parts, such as `postgres/postgres`; those of the runtime itself as `index/fail`. */
const exported = Object.entries(modules).flatMap(([part, module]) =>
  exportsOf(module).map((name) => `${part}/${name}`),
);

test('each export of a part is documented once', () => {
  const documented = sections.flatMap(({ part, names }) => names.map((name) => `${part}/${name}`));
  expect(documented.toSorted()).toEqual(exported.toSorted());
});

test.each(sections)('the names of $part are exports of that part', ({ part, names }) => {
  const module = modules[part];
  if (module === undefined) throw new Error(`The runtime has no part '${part}'`);
  expect(names.filter((name) => !exportsOf(module).includes(name))).toEqual([]);
});

test.each([...handlers, parts].flatMap(({ blocks }) => blocks))(
  'the example of line $line is in a generated module',
  (block) => {
    const [path = ''] = block.words;
    expect(readFileSync(join(repository, path), 'utf8')).toContain(block.text);
  },
);
