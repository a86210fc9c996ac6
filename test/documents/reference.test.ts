/** The reference is accurate: its tables match the code, and its examples compile. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import { includedOf, parts, thirdPartyOf, wholeExample } from '../../compiler/tools/example.js';
import { program } from '../../compiler/tools/commands/program.js';
import { repository } from '../helpers/service-fixture.js';
import { pagesBelow, readDocument } from './code-blocks.js';
import { withGeneratedParts } from './generated-parts.js';

const pages = pagesBelow('docs/reference').map((path) => ({ path, ...readDocument(path) }));

test.each(pages)(
  'the generated parts of $path are as the code is (npm run fixtures writes them)',
  async ({ path, text }) => {
    const now = await withGeneratedParts(text);
    if (process.env.UPDATE_FIXTURES === '1') writeFileSync(join(repository, path), now);
    else expect(text).toBe(now);
  },
);

test('each command and each file of explanations has its page', () => {
  const generated = pages.flatMap(({ text }) =>
    [...text.matchAll(/^<!-- generated: ((?:help|codes) .+) -->$/gm)].map(([, part]) => part),
  );
  const commands = program(() => Promise.resolve()).commands.map((command) => `help ${command.name()}`);
  const explanations = readdirSync(join(repository, 'templates/explanations')).map(
    (file) => `codes ${file.replace(/\.md$/, '')}`,
  );
  expect(generated.toSorted()).toEqual([...commands, ...explanations].toSorted());
});

describe('an example', () => {
  const examples = pages.flatMap(({ path, blocks }) =>
    blocks.flatMap((block, index) => {
      // test/testing runs the examples of test files, test/deployment the workflow.
      const others = ['openapi', 'api', 'included', 'tests', 'text', 'workflow'];
      if (block.language !== 'yaml' || others.includes(block.words[0] ?? '')) return [];
      const next = blocks[index + 1];
      const description = next?.words[0] === 'openapi' ? next.text : undefined;
      const api = next?.words[0] === 'api' ? next.text : undefined;
      const included = next?.words[0] === 'included' ? next.text : undefined;
      const [part = ''] = block.words;
      return [{ title: `of ${path}:${block.line}`, part, text: block.text, description, api, included }];
    }),
  );

  test.each(examples)(
    '$title compiles without a diagnostic',
    ({ part, text, description, api, included }) => {
      expect([...parts, 'file']).toContain(part);
      const { diagnostics } = checkSource({
        config: { path: 'config.yaml', text: wholeExample({ part }, text).text },
        include: includedOf(included === undefined ? {} : { included }),
        thirdParty: thirdPartyOf(api === undefined ? {} : { api }),
        ...(description !== undefined && {
          description: { source: { path: 'openapi.yaml', text: description }, read: () => undefined },
        }),
      });
      expect(
        diagnostics.map(({ code, message, span }) => `${code}: ${message} (${span.source.path})`),
      ).toEqual([]);
    },
  );

  test('is there for most things', () => {
    expect(examples.length).toBeGreaterThan(15);
  });
});
