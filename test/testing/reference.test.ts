/** The tests shown in the reference pass on their fixtures. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFields } from '../../compiler/tools/testing/read/test-fields.js';
import { valueKinds } from '../../compiler/tools/testing/read/value-patterns.js';
import { stubFaults } from '../../compiler/tools/local/stub-server.js';
import { indented, pagesBelow, readDocument } from '../documents/code-blocks.js';
import { Workspace } from '../commands/workspace.js';
import { repository } from '../helpers/service-fixture.js';
import { fixtureSpace, verdicts } from './workspace-tests.js';

const page = readFileSync(join(repository, 'docs/reference/tests.md'), 'utf8');
const examples = [...page.matchAll(/^```yaml tests (\w+)\n([^]*?)^```$/gm)].map(
  ([, name = '', text = '']) => ({
    name,
    text,
  }),
);

test.each(examples)('the tests of $name', async ({ name, text }) => {
  const space = fixtureSpace(name);
  try {
    space.write('config.test.yaml', text);
    const { status, stdout } = await space.run('test');
    expect(verdicts(stdout).filter((line) => !line.startsWith('✓'))).toEqual([]);
    expect(verdicts(stdout).length).toBeGreaterThan(0);
    expect(status).toBe(0);
  } finally {
    space.remove();
  }
});

test.each(pagesBelow('docs/recipes').filter((path) => readDocument(path).text.includes('```yaml tests')))(
  'the tests of %s',
  async (path) => {
    const part = (word: string): string =>
      readDocument(path)
        .blocks.filter(({ words }) => words[0] === word)
        .map(({ text }) => text)
        .join('');
    const space = new Workspace();
    try {
      const [operations, datasources] = [part('operations'), part('datasources')].map(indented);
      space.write(
        'config.yaml',
        `specification: '1.0'\noperations:\n${operations ?? ''}datasources:\n${datasources ?? ''}`,
      );
      space.write('config.test.yaml', part('tests'));
      const { status, stdout } = await space.run('test');
      expect(verdicts(stdout).filter((line) => !line.startsWith('✓'))).toEqual([]);
      expect(verdicts(stdout).length).toBeGreaterThan(1);
      expect(status).toBe(0);
    } finally {
      space.remove();
    }
  },
);

test('it has every field, placeholder and fault', () => {
  const words = [
    ...Object.values(testFields).flatMap((fields) => Object.keys(fields)),
    ...stubFaults,
    ...Object.keys(valueKinds).map((name) => `<${name}>`),
  ];
  expect(examples.map(({ name }) => name)).toEqual(['news', 'weather', 'timed', 'tokens', 'failing']);
  expect(words.filter((word) => !page.includes(word))).toEqual([]);
});
