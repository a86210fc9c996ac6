/**
 * `apikiln test` with user text at all positions: titles, names of steps, requests, expected and actual values, bodies and headers. In each
 * format, the results have the same structure as with plain text.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostileTexts } from '../emit/hostile.js';
import { Workspace } from '../commands/workspace.js';
import { inWorkflow } from './outputs.js';
import { moreTexts } from './texts.js';

/** Header values allow only printable Latin-1 characters. */
function headerOf(text: string): string {
  return text.replaceAll(/[^\u0020-\u007e]/g, '').trim() || 'x';
}

const config = `specification: "1.0"
operations:
  POST /echo:
    responses:
      - name: ok
        default: true
        statuscode: 200
        header: ["X-Sent: :[HEADER(X-Send)]"]
        schema:
          text: BODY($.text)
          other: BODY($.other)
`;

/** For each text: a test that passes, one that fails, and one that fails in a step. */
function testsOf(texts: readonly string[]): string {
  return JSON.stringify({
    tests: texts.flatMap((text, index) => {
      const sent = {
        request: 'POST /echo',
        header: { 'X-Send': headerOf(text) },
        body: { text, other: 'x' },
      };
      return [
        {
          ...{ name: `${index}a ${text}`, ...sent },
          response: { statuscode: 200, header: { 'X-Sent': headerOf(text) }, body: { text, other: 'x' } },
        },
        {
          ...{ name: `${index}b ${text}`, ...sent },
          response: {
            statuscode: 200,
            header: { 'X-Sent': `no ${headerOf(text)}` },
            body: { text: `not ${text}`, other: text },
          },
        },
        {
          name: `${index}c ${text}`,
          steps: [
            {
              name: `first ${text}`,
              ...sent,
              response: { statuscode: 201, body: { [`key ${text}`]: text } },
            },
          ],
        },
      ];
    }),
  });
}

const texts = [...new Set([...moreTexts, ...hostileTexts])].filter(
  (text) => text.length <= 200 && !/\p{Cs}/u.test(text),
);

let space: Workspace;
const outputs = new Map<string, readonly [string, string]>();

beforeAll(async () => {
  space = new Workspace();
  space.write('config.yaml', config);
  for (const format of ['text', 'json', 'junit']) {
    const printed: string[] = [];
    for (const all of [texts, texts.map(() => 'word')]) {
      space.write('config.test.yaml', testsOf(all));
      const { status, stdout, stderr } = await space.run('test', '--format', format);
      expect(status, stderr).toBe(1);
      printed.push(stdout);
    }
    outputs.set(format, [printed[0] ?? '', printed[1] ?? '']);
  }
}, 600_000);

afterAll(() => {
  space.remove();
});

function both(format: string): readonly [string, string] {
  return outputs.get(format) ?? ['', ''];
}

test('as text, each text is in one line after the mark of its kind', () => {
  const kinds = (text: string): string[] =>
    text
      .split('\n')
      .map(
        (line) =>
          /^(?:[✓✗] \d+[abc]|\d+ tests? passed, \d+ failed| {4,6}\S?)/
            .exec(line)?.[0]
            .replace(/\S+$/, (end) => (end.length > 1 ? end : '')) ?? line,
      );
  // Sorted, because tests end in any order.
  const [hostile, plain] = both('text').map((text) => kinds(text).sort());
  expect(hostile?.filter((line) => !line.startsWith('  '))).toEqual(
    plain?.filter((line) => !line.startsWith('  ')),
  );
  // Every failure includes its position.
  const positions = (text: string): number => text.match(/^ {4}config\.test\.yaml:\d+:\d+/gm)?.length ?? 0;
  const [first, second] = both('text').map(positions);
  expect(first).toBe(second);
});

test('as JSON, the values are the texts', () => {
  const shape = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(shape)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]))
        : typeof value;
  const [hostile, plain] = both('json').map((text) => JSON.parse(text) as object);
  expect(shape(hostile)).toEqual(shape(plain));
  for (const text of texts) expect(JSON.stringify(hostile)).toContain(JSON.stringify(text).slice(1, -1));
});

test('as JUnit, the elements and attributes are those of the plain twin', () => {
  const elements = (text: string): string[] => {
    const withoutValues = text.replaceAll(/="[^"<]*"/g, '=""');
    // Between elements, `<` must not occur, and `&` must only begin an entity.
    expect(withoutValues.replaceAll(/<[^<>]*>/g, '')).not.toMatch(
      /<|&(?!(?:lt|gt|amp|quot|apos|#\d+|#x[\da-f]+);)/i,
    );
    return withoutValues.match(/<[^<>]*>/g) ?? [];
  };
  const [hostile, plain] = both('junit').map(elements);
  expect(hostile).toEqual(plain);
  expect(both('junit')[0]).not.toMatch(/[\p{Cs}\ufffe\uffff]|(?![\t\n\r])\p{Cc}/u);
});

test('documents are the same in a workflow of GitHub, and no line of text is a command', () => {
  for (const format of ['json', 'junit']) expect(inWorkflow(both(format)[0])).toBe(both(format)[0]);
  expect(inWorkflow(both('text')[0])).not.toMatch(/^\s*::|##\[/m);
});
