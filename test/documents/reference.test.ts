/** REFERENCE.md is true: its tables are those of the code, and its examples compile. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import { parts, wholeExample } from '../../compiler/tools/example.js';
import { repository } from '../helpers/service-fixture.js';
import { readDocument } from './code-blocks.js';
import { withGeneratedParts } from './generated-parts.js';

const path = join(repository, 'REFERENCE.md');
const { text: reference, blocks } = readDocument('REFERENCE.md');

test('its generated parts are as the code is (npm run fixtures writes them)', async () => {
  const now = await withGeneratedParts(reference);
  if (process.env.UPDATE_FIXTURES === '1') writeFileSync(path, now);
  else expect(reference).toBe(now);
});

describe('an example', () => {
  const examples = blocks.flatMap((block, index) => {
    // Test files are played by test/testing.
    const others = ['openapi', 'tests', 'text'];
    if (block.language !== 'yaml' || others.includes(block.words[0] ?? '')) return [];
    const next = blocks[index + 1];
    const description = next?.words[0] === 'openapi' ? next.text : undefined;
    return [{ title: `of line ${block.line}`, part: block.words[0] ?? '', text: block.text, description }];
  });

  test.each(examples)('$title compiles without a diagnostic', ({ part, text, description }) => {
    expect([...parts, 'file']).toContain(part);
    const { diagnostics } = checkSource({
      config: { path: 'config.yaml', text: wholeExample({ part }, text).text },
      ...(description !== undefined && {
        description: { source: { path: 'openapi.yaml', text: description }, read: () => undefined },
      }),
    });
    expect(diagnostics.map(({ code, message, span }) => `${code}: ${message} (${span.source.path})`)).toEqual(
      [],
    );
  });

  test('is there for most things', () => {
    expect(examples.length).toBeGreaterThan(15);
  });
});
