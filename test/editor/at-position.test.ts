/** Editor requests at a position, as plain functions: completions, hovers, signatures and renames in all forms of configurations. */
import { describe, expect, test } from 'vitest';
import { otherOperations } from '../../compiler/tools/commands/lsp/protocol-items.js';
import { checkSource, checkWithDatabases } from '../../compiler/compile.js';
import type { Analysis } from '../../compiler/analyze/operations/analysis.js';
import {
  noDescriptions,
  type KnownTable,
} from '../../compiler/analyze/operations/statements/statement-descriptions.js';
import type { Source } from '../../compiler/read/source.js';
import { complete } from '../../compiler/tools/editor/complete.js';
import { documentSymbols } from '../../compiler/tools/editor/document-symbols.js';
import { focusAt } from '../../compiler/tools/editor/focus.js';
import { hoverAt } from '../../compiler/tools/editor/hover.js';
import { nextRuns } from '../../compiler/tools/editor/next-runs.js';
import { rename } from '../../compiler/tools/editor/rename.js';
import { signatureAt } from '../../compiler/tools/editor/signature-help.js';

interface Marked {
  readonly source: Source;
  readonly offset: number;
  readonly analysis: Analysis | undefined;
}

const models = {
  openapi: '3.1.0',
  info: { title: 'News', version: '1' },
  paths: {
    '/news': {
      post: {
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/News' } } } },
        responses: { 200: { description: 'OK' } },
      },
    },
  },
  components: {
    schemas: { News: { type: 'object', properties: { id: { type: 'integer' }, title: { type: 'string' } } } },
  },
};

/** `¦` marks the position. */
function marked(text: string): Marked {
  const source = { path: 'config.yaml', text: text.replace('¦', '') };
  const description = {
    source: { path: 'openapi.json', text: JSON.stringify(models) },
    read: () => undefined,
  };
  return {
    source,
    offset: text.indexOf('¦'),
    analysis: checkSource({ config: source, description }).analysis,
  };
}

const datasources = `datasources:
  newsdb: { type: db, url: 'jdbc:postgresql://localhost/news' }
  bank: { type: rest, url: 'https://bank.example' }
`;

/** The hover text at `¦` of a response whose API description declares strings for the numbers of the request. */
function hoverOfDigits(schema: string): string | undefined {
  const bill = (type: string): object => ({
    type: 'object',
    properties: { net: { type }, tags: { type: 'array', items: { type } } },
    required: ['net', 'tags'],
  });
  const content = (type: string): object => ({ content: { 'application/json': { schema: bill(type) } } });
  const paths = {
    '/bills': {
      post: {
        requestBody: { required: true, ...content('number') },
        responses: { 200: { description: 'OK', ...content('string') } },
      },
    },
  };
  const text = `specification: '1.0'
operations:
  POST /bills:
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema: ${schema}
`;
  const source = { path: 'config.yaml', text: text.replace('¦', '') };
  const api = { openapi: '3.1.0', info: { title: 'Bills', version: '1' }, paths };
  const description = { source: { path: 'openapi.json', text: JSON.stringify(api) }, read: () => undefined };
  const { analysis } = checkSource({ config: source, description });
  return hoverAt(source, text.indexOf('¦'), analysis, { schema: () => [], now: new Date(0) })?.text;
}

test('hovers show which numbers a response sends as strings', () => {
  expect(hoverOfDigits("{ net: 'BO¦DY($.net)', tags: 'BODY($.tags)' }")).toMatch(
    /\n\nSent as a string: the digits of the number\.$/,
  );
  expect(hoverOfDigits('{ net: body.ne¦t, tags: body.tags }')).toMatch(
    /\n\nSent as a string: the digits of the number\.$/,
  );
  expect(hoverOfDigits("'BOD¦Y()'")).toMatch(
    /\n\nSent as strings:\n\n- `net`: the digits of the number\n- `tags`: the digits of the number$/,
  );
  expect(hoverOfDigits("{ net: TEXT(a), tags: 'LIST(IN¦TEGER(2))' }")).not.toContain('Sent as');
});

/** A configuration with lines below an operation's fulfillments, and lines after the operation. */
function inA(fulfillments: string, behind = ''): string {
  return `specification: "1.0"
operations:
  POST /news:
    fulfillments:
      - name: news
        type: READ
        datasource: newsdb
        instructions:
          - query: SELECT id, title FROM news
${fulfillments}${behind}${datasources}`;
}

function inB(fulfillments: string, behind = ''): string {
  return inA(fulfillments, behind).replace('instructions:', 'queries:');
}

const ok = '    responses: [{ name: ok, default: true, statuscode: 200 }]\n';
const response = (schema: string): string => `    responses:
      - name: ok
        default: true
        statuscode: 200
        schema:
${schema}`;

function labels(text: string): string[] {
  const { source, offset, analysis } = marked(text);
  return complete(source, offset, analysis).map(({ label }) => label);
}

const loop = (inside: string): string => `      - name: each
        type: LOOP
        loop: VALUE(news, $)
        fulfillments:
${inside}`;
const paid = (query: string): string => `          - name: paid
            type: UPDATE
            datasource: newsdb
            instructions:
              - query: ${query}
`;

describe('completion', () => {
  test.each<[what: string, text: string, found: readonly string[]]>([
    [
      'of the element of a list in lines',
      inA(
        '',
        response(
          '          - list: VALUE(news, $)\n            item:\n              a: 1\n              t: VALUE(@, $.¦\n',
        ),
      ),
      ['id', 'title'],
    ],
    [
      'of the element next to its list',
      inA('', response('          list: VALUE(news, $)\n          item: VALUE(@, $.¦\n')),
      ['id', 'title'],
    ],
    [
      'of the element of a list above other fields',
      inA(
        '',
        response(
          '          list: "VALUE(news, $)"\n          # All of them.\n          item:\n            a: { b: 1 }\n            t: VALUE(@, $.¦\n',
        ),
      ),
      ['id', 'title'],
    ],
    [
      'of an element without a list',
      inA('', response('          a:\n            item:\n              t: VALUE(@, $.¦\n')),
      [],
    ],
    [
      'of an element whose list is not written yet',
      inA('', response('          list: VALUE(\n          item: VALUE(@, $.¦\n')),
      [],
    ],
    ['of the element of a loop', inA(loop(paid('SELECT :[VALUE(@, $.¦)]')), ok), ['id', 'title']],
    ['of names in a loop', inA(loop(paid('SELECT :[VALUE(¦)]')), ok), ['@', 'news', 'each']],
    ['of a name that is not there', inA('', response('          a: VALUE(nope, $.¦\n')), []],
    ['of the body', inA('', response('          a: BODY($.¦\n')), ['id', 'title']],
    ['of the body in names and joins', inB('', response('          a: body.¦\n')), ['id', 'title', 'size()']],
    [
      'of the element in names and joins',
      inB('', response('          list: news\n          item: { t: "@.¦" }\n')),
      ['id', 'title', 'size()'],
    ],
    [
      'of results in the body of an exception',
      inB(
        '        exceptions:\n          - { if: news == null, statuscode: 404, message: none, schema: { a: news.¦ } }\n',
        ok,
      ),
      ['id', 'title', 'size()'],
    ],
    ['of models', inB('', `${ok}    mappings:\n      ¦\n`), ['News']],
    ['of fields of a model', inB('', `${ok}    mappings:\n      News:\n        ¦\n`), ['id', 'title']],
    ['of datasources for an outbox', inA('', ok).replace("example' }", "example', outbox: ¦ }"), ['newsdb']],
    [
      'of databases for a limit',
      inA('', `${ok}    limits: [{ by: ADDRESS(), times: 5, within: 1m, store: ¦ }]\n`),
      ['newsdb'],
    ],
    [
      'of a limit',
      inA('', `${ok}    limits:\n      - by: ADDRESS()\n        ¦\n`),
      ['times', 'within', 'count', 'store'],
    ],
    ['of the body in a limit', inA('', `${ok}    limits: [{ by: 'BODY($.¦' }]\n`), ['id', 'title']],
    ['of no names in a limit', inA('', `${ok}    limits: [{ by: 'VALUE(¦' }]\n`), []],
    [
      'of authentications',
      inA('', `${ok}    authentications: [¦]\n`) +
        'authentications:\n  staff: { type: basicauth, user: a, password: b }\n',
      ['staff'],
    ],
    [
      'of a word in an item of a list',
      inA('', ok).replace('specification', 'include:\n  - a\nspecification').replace('type: READ', 'type: ¦'),
      ['READ', 'UPDATE', 'LOOP', 'reference', 'CODE', 'COMPUTE'],
    ],
    ['of nothing in a list where a map is', 'operations:\n  - ¦', []],
  ])('%s', (_, text, found) => {
    expect(labels(text)).toEqual(found);
  });

  test('of functions where nothing can be read', () => {
    const { source, offset } = marked(inA('', response('          a: VA¦\n')));
    expect(complete(source, offset, undefined).map(({ label }) => label)).toContain('VALUE');
  });

  test('has the fields of one way to write, where an operation shows which', () => {
    const at = (text: string): string[] => labels(text);
    const added = '      - name: more\n        type: READ\n        datasource: newsdb\n        ¦\n';
    expect(at(inA(added, ok))).toContain('instructions');
    expect(at(inA(added, ok))).not.toContain('queries');
    expect(at(inB(added, ok))).toContain('queries');
    expect(at(inB(added, ok))).not.toContain('instructions');
    const open = inA('', ok).replace(/ {8}instructions:[^]*news\n/, '        ¦\n');
    expect(at(open)).toEqual(expect.arrayContaining(['instructions']));
  });

  test('by names of an older text has none that come later in it', () => {
    const { analysis } = marked(`# ${'long '.repeat(20)}\n${inA('', response('          a: 1¦\n'))}`);
    const { source, offset } = marked(
      inA('', ok).replace('name: news', 'if: SIZE(VALUE(¦\n        name: news'),
    );
    expect(complete(source, offset, analysis).map(({ label }) => label)).not.toContain('news');
  });

  const tables: readonly KnownTable[] = [
    { name: 'news', columns: ['id', 'title', 'authorId'] },
    { name: 'Archive', columns: ['id'] },
  ];

  test.each<[query: string, found: readonly object[]]>([
    ['SELECT id FROM ¦', [{ label: 'news' }, { label: 'Archive', insert: '"Archive"' }]],
    ['SELECT id FROM news ¦', []],
    ['SELECT id FROM "Archive" WHERE ¦', [{ label: 'id' }]],
    [
      'SELECT ¦ FROM news',
      [{ label: 'id' }, { label: 'title' }, { label: 'authorId', insert: '"authorId"' }],
    ],
    // A quote would end the YAML string.
    ['"SELECT ¦ FROM news"', [{ label: 'id' }, { label: 'title' }]],
    ['SELECT "Archive".¦ FROM "Archive"', [{ label: 'id' }]],
  ])('of SQL: %s', async (query, found) => {
    const { source, offset } = marked(inA('', ok).replace(/SELECT .*/, query));
    const { analysis } = await checkWithDatabases(
      { config: marked(inA('', ok)).source },
      { ask: () => Promise.resolve({ ...noDescriptions, tables: () => tables }) },
    );
    const items = complete(source, offset, analysis).map(({ label, insert }) =>
      insert === undefined ? { label } : { label, insert },
    );
    expect(items).toEqual(found);
  });
});

function hover(text: string): string | undefined {
  const { source, offset, analysis } = marked(text);
  return hoverAt(source, offset, analysis, { schema: () => [], now: new Date(0) })?.text;
}

describe('hover', () => {
  const code = '      - { name: price, type: CODE, function: priceOf, returns: { type: string } }\n';
  const read = response('          a: VALUE(price, $)\n');
  test.each<[what: string, text: string, shown: RegExp | undefined]>([
    [
      'a field with words',
      inA('', ok).replace('type: READ', 'ty¦pe: READ'),
      /, required\n\n.*\n\nOne of `READ`, `UPDATE`/,
    ],
    [
      'an optional field',
      inA(loop(paid('SELECT 1')), ok).replace('loop: VALUE', 'lo¦op: VALUE'),
      /field of a fulfillment/,
    ],
    ['a name of a response', inA('', response('          ti¦tle: NOW()\n')), undefined],
    [
      'a field of a limit',
      inA('', `${ok}    limits:\n      - by: ADDRESS()\n        wit¦hin: 1m\n`),
      /field of a limit, required\n\nThe period in which requests are counted/,
    ],
    ['ADDRESS', inA('', response('          a: ADDR¦ESS()\n')), /TRUSTED_PROXIES/],
    ['a function of SQL', inA('', ok).replace('SELECT id', 'SELECT NO¦W(), id'), undefined],
    [
      'a function that is not whole',
      inA('', response('          a: VAL¦UE(news, \n')),
      /^`VALUE\(<name>, <path>\)`\n\n(?!.*```)/s,
    ],
    [
      'a long expression',
      inA('', response(`          a: CONCAT(TEXT(${'a'.repeat(60)}), TEXT(b))¦\n`)),
      /^```ts\nvalue: string\n/,
    ],
    [
      'a loop',
      inA(loop(paid('SELECT 1')), ok).replace('name: each', 'name: ea¦ch'),
      /^Fulfillment \*\*each\*\* – LOOP\n/,
    ],
    [
      'own code',
      inA(code, read).replace('name: price', 'name: pri¦ce'),
      /– own code, src\/code\/priceOf\.ts\n\n```ts\nprice: string\n/,
    ],
    [
      'a function of own code',
      inA(code, read).replace('function: priceOf', 'function: pri¦ceOf'),
      /^Function \*\*priceOf\*\* of src\/code\/priceOf\.ts\n\n```ts\nresult: string\n/,
    ],
    [
      'own code that nothing reads',
      inA(code, '').replace('name: price', 'name: pri¦ce'),
      /– own code, src\/code\/priceOf\.ts\n\n```ts\nprice: string\n/,
    ],
    [
      'own code with a condition, that nothing reads',
      inA(code.replace('type: CODE', 'type: CODE, if: PARAM(a) != NULL()'), '').replace(
        'name: price',
        'name: pri¦ce',
      ),
      /\n```ts\nprice: string \| null\n/,
    ],
    ['an operation', inA('', ok).replace('POST /news', 'POST /ne¦ws'), /, 1 fulfillment, responses 200\n/],
    [
      'an operation without a response',
      inA('', '').replace('POST /news', 'POST /ne¦ws'),
      /, 1 fulfillment\n/,
    ],
    [
      'an authentication',
      inA('', `${ok}    authentications: [sta¦ff]\n`) +
        'authentications:\n  staff: { type: basicauth, user: a, password: b }\n',
      /^Authentication \*\*staff\*\* – basicauth$/,
    ],
    [
      'a model',
      inB('', `${ok}    mappings:\n      Ne¦ws: { id: news.id }\n`),
      /^Model \*\*News\*\* .*: id, title$/,
    ],
    [
      'a model that is not described',
      inB('', `${ok}    mappings:\n      Ol¦d: { id: news.id }\n`),
      /description$/,
    ],
  ])('on %s', (_, text, shown) => {
    const found = hover(text);
    if (shown === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(shown);
  });

  test('on a schedule without a time zone says whose it is', () => {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    expect(nextRuns('0 0 3 * * *', undefined, new Date(0))).toContain(
      `Next runs (the time zone of the server, here ${zone}):`,
    );
  });
});

describe('signatures', () => {
  test.each([
    ['A', 'VALUE(¦', 'VALUE(<name>, <path>)'],
    ['B', 'concat(¦', 'concat(<value>, …)'],
  ])('without an analysis of Syntax %s', (_, value, label) => {
    const { source, offset } = marked(inA('', response(`          a: ${value}\n`)));
    expect(signatureAt(source, offset, undefined)?.signatures[0].label).toBe(label);
  });
});

describe('rename', () => {
  const renamed = (text: string, name: string): unknown => {
    const { source, offset, analysis } = marked(text);
    if (analysis === undefined) throw new Error('It cannot be read.');
    const found = rename(analysis, source, offset, name);
    return typeof found === 'string' ? found : found.map(({ edits }) => edits.map((edit) => edit.text));
  };
  const twice =
    '      - { name: a, type: CODE, function: priceOf, returns: { type: string } }\n      - { name: b, type: CODE, function: labelOf, returns: { type: string } }\n';

  test.each<[what: string, text: string, name: string, result: unknown]>([
    [
      'a fulfillment to no name of names and joins',
      inB('', ok).replace('name: news', 'name: ne¦ws'),
      'new news',
      "'new news' is not a name of Syntax B. Use letters, digits, _ and -.",
    ],
    [
      'a function to another one',
      inA(twice, ok).replace('priceOf', 'pri¦ceOf'),
      'labelOf',
      "There is another function 'labelOf'.",
    ],
    ['a function', inA(twice, ok).replace('priceOf', 'pri¦ceOf'), 'costOf', [['costOf']]],
    [
      'an internal operation',
      inA('', `${ok}  clean up:\n${ok}`).replace('clean up', 'clean¦ up'),
      'tidy up',
      [['tidy up']],
    ],
    [
      'an operation that finds callers',
      `${inA('', `${ok}  find key:\n${ok}`).replace('find key', 'find¦ key')}authentications:\n  robots: { type: apikey, header: X-Key, operation: find key }\n`,
      'look up',
      [['look up', 'look up']],
    ],
  ])('%s', (_, text, name, result) => {
    expect(renamed(text, name)).toEqual(result);
  });
});

test('the outline of a loop ends each of its steps where the next one begins', () => {
  const inside = `${paid('SELECT 1')}${paid('SELECT 2').replace('paid', 'sent')}`;
  const { source, analysis } = marked(`${inA(loop(inside), ok)}¦`);
  if (analysis === undefined) throw new Error('It cannot be read.');
  const [operation] = documentSymbols(analysis.config, source);
  const inner = operation?.children.find(({ name }) => name === 'each')?.children ?? [];
  expect(
    inner.map(({ name, start, end }) => [name, source.text.slice(start, end).split('\n').length]),
  ).toEqual([
    ['paid', 6],
    ['sent', expect.any(Number)],
  ]);
  expect(inner[0]?.end).toBe(inner[1]?.start);
});

describe('a part of a large file', () => {
  const name = (index: number): string => (index % 2 === 0 ? `GET /n${index}` : `step ${index}`);
  const called = (index: number): string => `  ${name(index)}:
    fulfillments:
      - { name: a, type: REFERENCE, operationName: ${name(index + 1)} }
${ok}`;
  const operations = Array.from({ length: 60 }, (_, index) => {
    if (index === 20)
      return `  '${name(20)}': { responses: [{ name: ok, default: true, statuscode: 200 }] }\n`;
    return index === 10 ? called(10) : `  ${name(index)}: # one\n${ok}`;
  });
  const text = `specification: "1.0"\noperations:\n${operations.join('')}${datasources}`;

  test('has the operation and those that it calls, and leads back to the whole', () => {
    const offset = text.indexOf('type: REFERENCE');
    const focus = focusAt(text, offset);
    if (focus === undefined) throw new Error('The whole text is looked at.');
    expect(focus.text).toBe(
      `specification: "1.0"\noperations:\n${called(10)}  ${name(11)}: # one\n${ok}${datasources}`,
    );
    expect(focus.text.slice(focus.into(offset))).toMatch(/^type: REFERENCE/);
    for (const written of ['specification', 'type: REFERENCE', 'step 11:', 'newsdb'])
      expect(text.slice(focus.back(focus.text.indexOf(written)))).toContain(written);
    expect(focus.back(focus.into(offset))).toBe(offset);
    expect(focusAt(text.slice(0, 200), 100)).toBeUndefined();
  });

  test('completes the operations of the whole', () => {
    const own = [{ label: name(10), kind: 'name', detail: 'operation', replaces: 0 }] as const;
    expect(otherOperations(text, own).map(({ label }) => label)).toEqual(
      Array.from({ length: 60 }, (_, index) => name(index)).filter((_, index) => index !== 10),
    );
    expect(otherOperations(text, [{ label: 'READ', kind: 'word', replaces: 0 }])).toEqual([]);
  });
});
