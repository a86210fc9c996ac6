/** A configuration that an editor has open: positions are right whatever was requested before, and of whichever text. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OpenConfiguration } from '../../compiler/tools/commands/lsp/open-configuration.js';
import { sameAs } from '../../compiler/tools/editor/occurrences.js';
import { manyOperations } from '../bench/configs/many.js';
import { repository } from '../helpers/service-fixture.js';

const first = manyOperations(5);
const second = `# a line above\n${manyOperations(5, 'Another message, which is longer')}`;

test('names are found in the text that is asked for, in whatever order', async () => {
  const path = join(repository, 'test/incremental/config.yaml');
  const open = new OpenConfiguration(path, () => undefined);
  /** The text at each position that names the datasource. */
  const found = (text: string): Promise<string[]> =>
    open.whole({ path, text }, ({ analysis, source }) => {
      const spans = analysis === undefined ? [] : sameAs(analysis, source, text.lastIndexOf('newsdb:') + 1);
      return spans.map(({ span }) => text.slice(span.start, span.end));
    });
  const all = Array.from({ length: 11 }, () => 'newsdb');
  expect(await found(first)).toEqual(all);
  await open.diagnostics({ path, text: first });
  expect(await found(first)).toEqual(all);
  await open.diagnostics({ path, text: second });
  expect(await found(first)).toEqual(all);
  expect(
    await Promise.all([found(second), open.diagnostics({ path, text: first }), found(first), found(second)]),
  ).toEqual([all, [], all, all]);
});
