/** Names in generated code: identifiers, files and variables never collide, whatever names the configuration uses. */
import fc from 'fast-check';
import { ts } from 'ts-morph';
import { describe, expect, test } from 'vitest';
import { Names } from '../../compiler/generate/emit/module/names.js';
import { camelCase, fileSlug, uniqueNames } from '../../compiler/generate/plan/names/identifiers.js';
import { singular } from '../../compiler/generate/plan/names/singular.js';
import { runtimeNames } from '../../compiler/generate/plan/names/runtime-symbols.js';
import { anyText } from './hostile.js';
import { runs } from '../helpers/runs.js';

function isVariableName(text: string): boolean {
  const source = ts.createSourceFile(
    'a.ts',
    `'use strict'; export const ${text} = await 1;`,
    ts.ScriptTarget.ES2023,
  );
  const diagnostics: unknown = Reflect.get(source, 'parseDiagnostics');
  return source.statements.length === 2 && Array.isArray(diagnostics) && diagnostics.length === 0;
}

describe('camelCase', () => {
  test.each([
    ['get news by id', 'getNewsById'],
    ['nightly clean-up', 'nightlyCleanUp'],
    ['URL', 'url'],
    ['newsDb', 'newsDb'],
    ['žurnál', 'zurnal'],
    ['delete', 'deleteThing'],
    ['Promise', 'promise'],
    ['arguments', 'argumentsThing'],
    ['eval', 'evalThing'],
    ['2fast', 'thing2fast'],
    ['日本', 'thing'],
    ['', 'thing'],
    ['__proto__', 'proto'],
    ['constructor', 'constructor'],
  ])('%s → %s', (text, name) => {
    expect(camelCase(text, 'thing')).toBe(name);
  });

  test('always makes what can name a variable of a module', () => {
    const words =
      'break case class const delete enum export function import null super this typeof var void with yield await let static';
    fc.assert(
      fc.property(fc.oneof(anyText(), fc.constantFrom(...words.split(' '))), (text) => {
        const name = camelCase(text, 'thing');
        expect(isVariableName(name), name).toBe(true);
        expect(name).toMatch(/^[a-z][A-Za-z0-9]*$/);
      }),
      { numRuns: runs(32, 500) },
    );
  });
});

describe('fileSlug', () => {
  test.each([
    ['get news by id', 'get-news-by-id'],
    ['getNews', 'get-news'],
    ['../../etc/passwd', 'etc-passwd'],
    ['CON', 'operation-con'],
    ['com1', 'operation-com1'],
    ['COM¹', 'operation-com1'],
    ['', 'operation'],
    ['.env', 'env'],
    [`${'x'.repeat(79)} y`, 'x'.repeat(79)],
  ])('%s → %s', (text, slug) => {
    expect(fileSlug(text)).toBe(slug);
  });

  test('always makes a plain file name of bounded length', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(fileSlug(text)).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
        expect(fileSlug(text).length).toBeLessThan(100);
      }),
      { numRuns: runs(63, 1000) },
    );
  });
});

describe('uniqueNames', () => {
  test('leaves a name alone that is alone', () => {
    expect(uniqueNames(['a', 'b'], ['A', 'B'], ['c'])).toEqual(['a', 'b']);
  });

  test('adds a hash of their own text to all that collide, those that differ in letter case too', () => {
    const [first, second, third] = uniqueNames(['getA', 'geta', 'b'], ['GET /A', 'GET /a', 'b'], []);
    expect(first).toMatch(/^getA_[0-9a-f]{6}$/);
    expect(second).toMatch(/^geta_[0-9a-f]{6}$/);
    expect(third).toBe('b');
    expect(uniqueNames(['geta', 'x', 'getA'], ['GET /a', 'x', 'GET /A'], [])).toEqual([second, 'x', first]);
  });

  test('makes no name that is taken', () => {
    expect(uniqueNames(['reply'], ['reply'], ['reply'])[0]).toMatch(/^reply_[0-9a-f]{6}$/);
  });

  test('differs from a name that looks like the hashed name of another', () => {
    const [hashed = ''] = uniqueNames(['a', 'a'], ['1', '2'], [], '-');
    const names = uniqueNames(['a', 'a', hashed], ['1', '2', '3'], [], '-');
    expect(new Set(names).size).toBe(3);
    expect(names[2]).toBe(hashed);
  });

  test('always makes names that differ in more than letter case, whatever their order', () => {
    const wish = fc.constantFrom('a', 'A', 'b', 'taken', 'a_4e0740');
    fc.assert(
      fc.property(fc.array(wish, { maxLength: 8 }), (wished) => {
        const texts = wished.map((name, index) => `${name}${index}`);
        const names = uniqueNames(wished, texts, ['taken']);
        expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(wished.length);
        expect(names).not.toContain('taken');
        const backwards = uniqueNames([...wished].reverse(), [...texts].reverse(), ['taken']);
        expect(backwards.reverse()).toEqual(names);
      }),
    );
  });
});

test.each([
  ['kilns', 'kiln'],
  ['categories', 'category'],
  ['movies', 'movie'],
  ['addresses', 'address'],
  ['boxes', 'box'],
  ['statuses', 'status'],
  ['houses', 'house'],
  ['databases', 'database'],
  ['aliases', 'alias'],
  ['openOrders', 'openOrder'],
  ['people', 'person'],
  ...['news', 'found', 'status', 'address', 'analysis', 'series', 'heroes', 'ids'].map((name) => [name]),
])('one of %s is %s', (plural, one) => {
  expect(singular(plural)).toBe(one);
});

describe('variables of a module', () => {
  test('hide nothing that is imported, no parameter and no element of a list', () => {
    const names = new Names(['getNews', 'newsdb']);
    for (const name of [
      ...runtimeNames,
      'call',
      'operation',
      'getNews',
      'newsdb',
      'item',
      'item2',
      'item17',
    ]) {
      expect(names.take(name, 'Result').name).toBe(`${name}Result`);
    }
  });

  test('may have the names of what is not imported', () => {
    const names = new Names([], new Set(['get']));
    expect([names.take('limit', 'Param').name, names.take('get', 'Param').name]).toEqual([
      'limit',
      'getParam',
    ]);
    expect([...names.avoided]).toEqual(['get']);
  });

  test('are counted when they are wished again', () => {
    const names = new Names([]);
    const taken = (wished: string, suffix?: string): string => names.take(wished, suffix).name;
    expect([taken('a'), taken('a'), taken('a')]).toEqual(['a', 'a2', 'a3']);
    expect([taken('reply', 'Result'), taken('reply', 'Result')]).toEqual(['replyResult', 'replyResult2']);
  });
});
