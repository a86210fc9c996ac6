/** The fields and keywords of a configuration, as read: version, syntaxes, names and strings. */
import { describe, expect, test } from 'vitest';
import { Analysis } from '../../compiler/analyze/operations/analysis.js';
import { check } from '../../compiler/analyze/check/check-config.js';
import type { Config } from '../../compiler/read/config/config-model.js';
import { readWithSql } from '../helpers/read-with-sql.js';
import { Report } from '../../compiler/read/diagnostics/report.js';

interface Parts {
  readonly head?: string;
  readonly name?: string;
  readonly operation?: string;
  readonly fulfillment?: string;
  readonly type?: string;
  readonly responses?: string;
  readonly message?: string;
  readonly datasource?: string;
  readonly tail?: string;
}

/** A valid configuration with the given parts replaced. */
function configuration(parts: Parts): string {
  return `${parts.head ?? 'specification: "1.0"'}
operations:
  ${parts.name ?? 'GET /news'}:
${parts.operation ?? ''}    fulfillments:
      - name: news
        type: ${parts.type ?? 'READ'}
        datasource: newsdb
${parts.fulfillment ?? '        instructions:\n          - query: SELECT 1\n'}        exceptions:
          - if: PARAM(a) == TEXT(b)
            statuscode: 404
            message: ${parts.message ?? 'none'}
    responses:
${parts.responses ?? '      - name: ok\n        default: true\n        statuscode: 200\n'}datasources:
  newsdb:
${parts.datasource ?? '    type: db\n    url: jdbc:postgresql://localhost/news\n'}${parts.tail ?? ''}`;
}

function read(text: string): { config: Config | undefined; codes: string[]; hints: string[] } {
  const report = new Report();
  const config = readWithSql(text, report);
  if (config !== undefined) check(new Analysis(config, undefined, report.errors), report);
  return {
    config,
    codes: report.diagnostics.map(({ code }) => code),
    hints: report.diagnostics.map(({ hint }) => hint ?? ''),
  };
}

describe('extension: keys of the user at the top', () => {
  test('x- begins one, as a place for anchors', () => {
    const text = configuration({
      head: 'specification: "1.0"\nx-queries:\n  one: &one SELECT 1\n',
      fulfillment: '        instructions:\n          - query: *one\n',
    });
    expect(read(text).codes).toEqual([]);
  });
});

describe('environment references', () => {
  test.each([
    ['${DB_USER}', []],
    ['${DB_USER:me}', []],
    ['${DB_USER:}', []],
    ['pa$$w0rd', []],
    ['$5', []],
    ['${DB_USER:-me}', ['shell-default']],
    ['${DB_USER', ['wrong-reference']],
    ['$DB_USER', ['wrong-reference']],
    ['$DB_USER:x}', ['wrong-reference']],
    ['${{DB_USER}', ['wrong-reference']],
    ['${DB USER}', ['wrong-reference']],
    ['${A:x${B:y}', ['wrong-reference']],
  ])('user: %s', (user, codes) => {
    const datasource = `    type: db\n    url: jdbc:postgresql://localhost/news\n    user: '${user}'\n`;
    expect(read(configuration({ datasource })).codes).toEqual(codes);
  });
});

describe('a # that cuts a string', () => {
  test.each([
    ['No. #5 is gone', ['cut-at-hash']],
    ['gone # :[PARAM(id)]', ['cut-at-hash']],
    ['C# is fine', []],
    ["'No. #5 is gone'", []],
  ])('message: %s', (message, codes) => {
    expect(read(configuration({ message })).codes).toEqual(codes);
  });
});

describe('names that are endpoints for everybody but the compiler', () => {
  test.each([
    ...['GET|POST /news', 'GET,POST /news', 'HTTP GET /news', 'GET_/news', "P'OST /news", 'G\u0415T /news'],
    ...['INSERT /news', 'PmU /news', '\\"GET /news\\"'],
  ])('%s', (name) => {
    expect(read(configuration({ name: `"${name}"` })).codes).toContain('near-endpoint');
  });

  test('INSERT is not a GET', () => {
    const { hints } = read(configuration({ name: 'INSERT /news' }));
    expect(hints.join(' ')).toContain("Did you mean 'POST /news'?");
  });
});

describe('specification "1.0" is the first field', () => {
  test.each([
    ['specification: "1.0"', []],
    ["specification: '1.0'", []],
    ['# a comment\n\n---\nspecification: "1.0"', []],
    ['specification: 1.0', ['unquoted-specification']],
    ['specification: 1', ['wrong-specification']],
    ['specification: "1.1"', ['wrong-specification']],
    ['specification: v1.0', ['wrong-specification']],
    ['specification:', ['empty-field']],
    ['', ['missing-specification']],
    ['settings: {}\nspecification: "1.0"', ['specification-first']],
  ])('%j', (head, codes) => {
    expect(read(configuration({ head })).codes).toEqual(codes);
  });
});

describe('enumerated values are read in any letter case', () => {
  test.each(['READ', 'read', 'Read', 'rEAD', '"read"'])('type: %s', (type) => {
    const { config, codes } = read(configuration({ type }));
    expect(codes).toEqual([]);
    expect(config?.operations[0]?.fulfillments[0]?.type).toBe('READ');
  });

  test.each(['db', 'DB', 'Db'])('type: %s of a datasource', (type) => {
    const datasource = `    type: ${type}\n    url: jdbc:mysql://localhost/news\n`;
    const { config, codes } = read(configuration({ datasource }));
    expect(codes).toEqual([]);
    expect(config?.datasources[0]).toMatchObject({ type: 'db', dialect: 'mysql' });
  });

  test.each(['basicauth', 'BasicAuth', 'BASICAUTH'])('type: %s of an authentication', (type) => {
    const tail = `authentications:\n  a: { type: ${type}, user: u, password: p }\n`;
    expect(read(configuration({ tail })).codes).toEqual([]);
  });

  test.each(['true', 'True', 'TRUE', "'true'"])('default: %s', (value) => {
    const responses = `      - name: ok\n        default: ${value}\n        statuscode: '200'\n`;
    const { config, codes } = read(configuration({ responses }));
    expect(codes).toEqual([]);
    expect(config?.operations[0]?.responses[0]).toMatchObject({ default: true, statuscode: { value: 200 } });
  });

  test.each(['Name', 'NAME', 'query', 'Datasource'])('but field names are exact: %s', (field) => {
    expect(
      read(
        configuration({ fulfillment: `        instructions: [{ query: SELECT 1 }]\n        ${field}: x\n` }),
      ).codes,
    ).toEqual(['unknown-field']);
  });
});

describe('the syntax of an operation', () => {
  const queries = '        queries:\n          - query: SELECT 1\n';

  test.each([
    ['instructions', {}, 'A'],
    ['queries', { fulfillment: queries }, 'B'],
    ['mappings', { operation: '    mappings: {}\n' }, 'mixed'],
    ['queries and join', { fulfillment: `${queries}        join: news.a == news.b\n` }, 'B'],
    [
      'instructions and join',
      { fulfillment: '        instructions: [{ query: SELECT 1 }]\n        join: news.a == news.b\n' },
      'mixed',
    ],
  ])('%s', (_, parts, syntax) => {
    const { config, codes } = read(configuration(parts));
    expect(codes.includes('mixed-syntax')).toBe(syntax === 'mixed');
    if (syntax !== 'mixed') expect(config?.operations[0]?.syntax).toBe(syntax);
  });
});

describe('a field of type string has the characters as they are written', () => {
  test.each([
    ['0123', '0123'],
    ['yes', 'yes'],
    ['null', 'null'],
    ['~', '~'],
    ['1e3', '1e3'],
    ['0x1F', '0x1F'],
    ['1_000', '1_000'],
    ['2024-01-01', '2024-01-01'],
    ['1.10', '1.10'],
    ['true', 'true'],
    ["''", ''],
    ['"a\\tb"', 'a\tb'],
    ['|-\n      two\n      lines', 'two\nlines'],
  ])('password: %j is %j', (written, value) => {
    const datasource = `    type: db\n    url: jdbc:postgresql://localhost/news\n    user: ${written}\n    password: ${written}\n`;
    const { config, codes } = read(configuration({ datasource }));
    expect(codes).toEqual([]);
    expect(config?.datasources[0]?.password?.value).toBe(value);
    expect(config?.datasources[0]?.user?.value).toBe(value);
  });

  test.each([
    ['404', ['404']],
    ['yes', ['yes']],
    ["'Error: :[PARAM(a)]!'", ['Error: ', expect.objectContaining({ kind: 'param' }), '!']],
  ])('message: %s', (message, parts) => {
    const { config, codes } = read(configuration({ message }));
    expect(codes).toEqual([]);
    expect(config?.operations[0]?.fulfillments[0]?.exceptions[0]?.message).toEqual(parts);
  });

  test.each([
    'Error: not found',
    '@home',
    '%d%',
    '`a`',
    '*star* text',
    '!important',
    "'it's'",
    '"a" b',
    '- a',
    '{id} is gone',
    '"C:\\dir"',
  ])('the quoted form that is shown for message: %s is right', (message) => {
    const { codes, hints } = read(configuration({ message }));
    expect(codes).toHaveLength(1);
    const quoted = /(?:Quote it|as a string): ('.*')$/.exec(hints[0] ?? '')?.[1] ?? '';
    expect(read(configuration({ message: quoted })).codes).toEqual([]);
  });
});

describe('names of operations', () => {
  test.each([
    'GET /news',
    'get /news/{id}',
    'Delete /news/comment/{id}',
    'PATCH /',
    'HEAD /a',
    'OPTIONS /a',
    'GET /files/{name}.json',
    'GET /a/{b}-{c}/',
    'GET /v1/x:batch',
    'GET /%C3%BC',
    'GET /a.b_c~d',
  ])('%s is an endpoint', (name) => {
    const { config, codes } = read(configuration({ name: `'${name}'` }));
    expect(codes.filter(isOfNames)).toEqual([]);
    expect(config?.operations[0]?.endpoint?.path).toBe(name.slice(name.indexOf('/')));
  });

  test.each([
    'nightly',
    'get the latest news',
    'Delete old news',
    'get news',
    'post',
    'Put it all together',
    'patch-up',
    'options of the shop',
    'GET the latest news',
    'Head count',
    'news/clean',
    'getNews',
    'target',
  ])('%s is free text', (name) => {
    const { config, codes } = read(configuration({ name }));
    expect(codes).toEqual(['operation-never-called']);
    expect(config?.operations[0]?.endpoint).toBeUndefined();
  });

  test.each([
    ['GET news', 'GET /news'],
    ['GET  /news', 'GET /news'],
    [' GET /news', 'GET /news'],
    ['GET /news ', 'GET /news'],
    ['GET/news', 'GET /news'],
    ['GTE /news', 'GET /news'],
    ['DELTE /news/{id}', 'DELETE /news/{id}'],
    ['/news', 'GET /news'],
    ['POST: /news', 'POST /news'],
    ['get news/{id}', 'GET /news/{id}'],
    ['GET', 'GET /'],
    ['GET https://example.com/news', 'GET /news'],
    ['GET /news/{news id}', 'GET /news/{news_id}'],
  ])('%s nearly is one, and the hint is %s', (name, meant) => {
    const { codes, hints } = read(configuration({ name: `'${name}'` }));
    expect(codes).toEqual(['near-endpoint']);
    expect(hints[0]).toContain(`'${meant}'`);
    expect(read(configuration({ name: `'${meant}'` })).codes.filter(isOfNames)).toEqual([]);
  });
});

/** The operation of these tests does not read its path parameter. */
function isOfNames(code: string): boolean {
  return code !== 'unread-path-parameter';
}
