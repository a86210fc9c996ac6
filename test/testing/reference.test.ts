/** The tests that the reference shows pass on the fixtures that they are of. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFields } from '../../compiler/tools/testing/read/test-fields.js';
import { valueKinds } from '../../compiler/tools/testing/read/value-patterns.js';
import { stubFaults } from '../../compiler/tools/local/stub-server.js';
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

test('it has every field, placeholder and fault', () => {
  const words = [
    ...Object.values(testFields).flat(),
    ...stubFaults,
    ...Object.keys(valueKinds).map((name) => `<${name}>`),
  ];
  expect(examples.map(({ name }) => name)).toEqual(['news', 'weather', 'timed', 'tokens']);
  expect(words.filter((word) => !page.includes(word))).toEqual([]);
});
