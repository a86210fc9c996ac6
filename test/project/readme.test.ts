/** README.md shows actual output. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { repository } from '../helpers/service-fixture.js';

const readme = readFileSync(join(repository, 'README.md'), 'utf8');
const news = join(repository, 'fixtures/services/news');

/** The code blocks of a language, without their fences. */
function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(
    (match) => match[1] ?? '',
  );
}

test('the configuration in the README is that of the news fixture', () => {
  const whole = parse(readFileSync(join(news, 'config.yaml'), 'utf8')) as {
    operations: Readonly<Record<string, unknown>>;
  };
  const shown = parse(blocks('yaml')[0] ?? '') as Readonly<Record<string, unknown>>;
  expect(Object.keys(shown)).toEqual(['GET /news/{id}']);
  expect(shown['GET /news/{id}']).toEqual(whole.operations['GET /news/{id}']);
});

test('the handler next to it is the generated one', () => {
  const handler = readFileSync(join(news, 'expected/src/operations/get-news-by-id.ts'), 'utf8');
  expect(blocks('ts')[0]).toBe(handler);
});
