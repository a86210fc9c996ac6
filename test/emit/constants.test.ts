/** Names of statement constants: their conditions if nothing else distinguishes them, but never secrets. */
import { describe, expect, test } from 'vitest';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { parseExpression } from '../../compiler/read/expression/parse/parse.js';
import { conditionWords } from '../../compiler/generate/plan/names/condition-words.js';
import { wholeText } from '../../compiler/read/source.js';
import { filesOf, textOf } from './compile-text.js';

function wordsOf(text: string): string[] {
  const expression = parseExpression(wholeText('config.yaml', text), { syntax: 'B' }, new Report());
  if (expression === undefined) throw new Error(`This is no expression: ${text}`);
  return conditionWords(expression);
}

describe('conditionWords', () => {
  test.each([
    ["param.sort == 'in-stock'", ['InStock']],
    ["param.sort != 'price'", ['NotPrice']],
    ["!(param.sort == 'price')", ['NotPrice']],
    ["param.n == 1 || param.n == '2' || param.n == 3", ['2', '1', '3']],
    ["param.a == 200 && body.state == 'done'", ['Done', '200']],
    ['param.n >= 2', ['AtLeast2']],
    ['5 > param.n', ['Below5']],
    ['news == null', ['NoNews']],
    ['news.size() > 0', ['News']],
    ['body.author.name != null', ['Name']],
    ['param.dry == false', ['NoDry']],
    ['param.dry', ['Dry']],
    ['news.author == param.author', ['Author']],
    ['news.author != param.author', ['OtherAuthor']],
    ['!(news.author == param.author)', ['OtherAuthor']],
    ['news.price < param.price', []],
    ['1 == 1', []],
    ['param.n != 1', ['Not1']],
    ['news.size() != 0', ['News']],
    ['0 == news.size()', ['NoNews']],
    ["param.q == 'x -- */ \\u2028'", ['Q']],
    ["param.q == '日本'", ['Q']],
    ['param.n == 0.5', []],
    // A value compared with a secret appears in the name, the secret does not.
    ["param.token == 'hunter'", ['Token']],
    ["body['api-key'] != 'abc'", ['NoApiKey']],
  ])('%s → %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });
});

async function constantsOf(conditions: readonly (string | undefined)[]): Promise<string[]> {
  const files = await filesOf({
    specification: '1.0',
    operations: {
      'GET /a': {
        fulfillments: [
          {
            ...{ name: 'a', type: 'READ', datasource: 'db' },
            queries: conditions.map((condition, index) => ({
              ...(condition === undefined ? {} : { if: condition }),
              query: `SELECT ${index} AS a`,
            })),
          },
        ],
        responses: [{ name: 'ok', default: true, statuscode: 200, schema: { a: 'a.a' } }],
      },
    },
    datasources: { db: { type: 'db', url: 'jdbc:postgresql://localhost/x' } },
  });
  const text = textOf(files, 'src/operations/get-a.ts');
  return [...text.matchAll(/^const (select\w*) =/gm)].map(([, name]) => name ?? '');
}

test('a word that another one has already is not taken again', async () => {
  expect(
    await constantsOf(['param.n == 1', 'param.n == 1 || param.n == 2', 'param.q == null', undefined]),
  ).toEqual(['selectAWhen1', 'selectAWhen2', 'selectAWhenNoQ', 'selectAOtherwise']);
});

test('numbers distinguish what has no words of its own', async () => {
  const long = 'x'.repeat(30);
  expect(await constantsOf([`param.${long} == '${long}'`, 'param.n < 0.5', 'param.n > 0.5'])).toEqual([
    'selectA',
    'selectA2',
    'selectA3',
  ]);
});
