/**
 * Linear time: compares every regular expression of the runtime, and every function that reads request text, at one length and at eight
 * times that length.
 */
import { ts } from 'ts-morph';
import { describe, expect, test } from 'vitest';
import { equal, less } from '../../../runtime/compare/compare.js';
import { compareDecimals, isExact, isJsonNumber } from '../../../runtime/handler/decimal.js';
import { readEnvFile } from '../../../runtime/server/environment.js';
import { chosenEncoding } from '../../../runtime/http/compression.js';
import { jsonError } from '../../../runtime/http/json-body.js';
import { parseQuery, normalTarget, pathAndQuery } from '../../../runtime/http/request-target.js';
import { parseJson } from '../../../runtime/handler/parse-json.js';
import { encode } from '../../../runtime/rest/url-values.js';
import { canonical } from '../../../runtime/validate/canonical.js';
import { isMultiple } from '../../../runtime/validate/number.js';
import { growth, superlinear } from '../../helpers/growth.js';
import { sourcesBelow } from '../../project/sources.js';

interface Found {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

/** Regular expressions whose input length is limited elsewhere. */
const bounded = new Set(['runtime/sql/column-values.ts \\.?0+$']);

/** Every regular expression in the runtime's sources. */
function literals(): Found[] {
  return sourcesBelow('runtime').flatMap(({ path, text }) => {
    const found: Found[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf('/');
        found.push({
          file: path,
          source: node.text.slice(1, end),
          flags: node.text.slice(end + 1),
        });
      }
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
    return found;
  });
}

/** Strings of a given length that cause backtracking: a repeated piece followed by a mismatch. */
function attacks(source: string): ((length: number) => string)[] {
  const own = [...new Set(source.replaceAll(/\\[wdsb]|[\\^$()[\]|?*+{}]/gi, ''))];
  const pieces = ['a', '0', ' ', '\t', '.', ',', ';', 'a ', ' a', '0.', '.0', 'a=', '%', "'", '"', ...own];
  const first = own.slice(0, 8).join('');
  return pieces.flatMap((piece) =>
    ['', '\u0000', '!'].flatMap((end) => [
      (length: number) => piece.repeat(length / piece.length) + end,
      (length: number) => first + piece.repeat(length / piece.length) + end,
    ]),
  );
}

describe('regular expressions of the runtime', () => {
  const all = literals().filter(({ file, source }) => !bounded.has(`${file} ${source}`));

  test('there are some', () => {
    expect(all.length).toBeGreaterThan(50);
  });

  test.each(all)('$file: /$source/$flags', ({ source, flags }) => {
    const slow = attacks(source).find((attack) => {
      const run = (length: number): void => {
        const expression = new RegExp(source, flags);
        const text = attack(length);
        if (expression.global) text.replaceAll(expression, '');
        else expression.exec(text);
      };
      // Most patterns are fast, and need no second measurement.
      const start = process.cpuUsage();
      run(32_768);
      return process.cpuUsage(start).user > 20_000 && growth(run, 4096) > superlinear;
    });
    expect(slow?.(8)).toBeUndefined();
  });
});

describe('routines', () => {
  const nines = '9'.repeat(400);
  const routines: Readonly<Record<string, (length: number) => unknown>> = {
    'isJsonNumber of digits': (length) => isJsonNumber(`${'1'.repeat(length)}x`),
    'isExact of digits': (length) => isExact('1'.repeat(length)),
    'isExact of zeros': (length) => isExact(`0.${'0'.repeat(length)}1`),
    'isExact of an exponent': (length) => isExact(`1e${'9'.repeat(length)}`),
    'compareDecimals of zeros': (length) => compareDecimals(`1${'0'.repeat(length)}`, '5'),
    'compareDecimals of exponents': (length) =>
      compareDecimals(`1e${'9'.repeat(length)}`, `1e-${'9'.repeat(length)}`),
    'isMultiple of digits': (length) => isMultiple('7'.repeat(length), '0.01'),
    'isMultiple of zeros': (length) => isMultiple(`0.${'0'.repeat(length)}1`, '3'),
    'isMultiple of an exponent': (length) => isMultiple(`1e${'9'.repeat(length)}`, '0.03'),
    'isMultiple of a small exponent': (length) => isMultiple(`1e-${'9'.repeat(length)}`, '0.03'),
    'equal of a number and a text': (length) => equal(5, '5'.padEnd(length, '0')),
    'equal of lists': (length) => equal(Array<number>(length).fill(1), Array<string>(length).fill('1.0')),
    'less of texts': (length) => less('x'.repeat(length), `${'x'.repeat(length)}y`),
    'parseJson of digits': (length) => parseJson(`[${'1'.repeat(length)}]`),
    'parseJson of numbers': (length) => parseJson(`[${`1e${nines},`.repeat(length / 400)}1]`),
    'parseJson of backslashes': (length) =>
      parseJson(`["${'\\\\'.repeat(length / 2)}", 1.00000000000000001]`),
    'parseJson of quotes': (length) => parseJson(`["${'\\"'.repeat(length / 2)}", 1.00000000000000001]`),
    'jsonFault of line breaks': (length) => jsonError(`[${'\n'.repeat(length)}x`),
    'jsonFault of brackets': (length) => jsonError('['.repeat(length)),
    'jsonFault of escapes': (length) => jsonError(`"${'\\u00e4'.repeat(length / 6)}`),
    'readEnvFile of references that do not end': (length) =>
      readEnvFile(`A=${'${A:'.repeat(length / 4)}\nB="${'${A:'.repeat(length / 4)}"`),
    'readEnvFile of dollar signs': (length) => readEnvFile(`A=${'$'.repeat(length)}}`),
    'readEnvFile of backslashes': (length) => readEnvFile(`A="${'\\\\$'.repeat(length / 3)}"`),
    'readEnvFile of quotes': (length) => readEnvFile(`A="${' '.repeat(length)}" ${' '.repeat(length)}x`),
    'parseQuery of one name': (length) => parseQuery('a=1&'.repeat(length / 4)),
    'parseQuery of names': (length) =>
      parseQuery(Array.from({ length: length / 6 }, (_, index) => `${index * 16384}=`).join('&')),
    'pathAndQuery of slashes': (length) => pathAndQuery('/'.repeat(length)),
    'normalTarget of percent signs': (length) => normalTarget(`/${'%41'.repeat(length / 3)}`),
    'chosenEncoding of commas': (length) => chosenEncoding(`${'gzip;q=0.1,'.repeat(length / 11)}br`),
    'encode of apostrophes': (length) => encode("'".repeat(length)),
    'canonical of names': (length) =>
      canonical(Object.fromEntries(Array.from({ length: length / 8 }, (_, index) => [`n${index}`, index]))),
  };

  test.each(Object.entries(routines))('%s', (_name, routine) => {
    expect(growth(routine, 8192)).toBeLessThan(superlinear);
  });
});

test('exponents of any length are exact', () => {
  const [large, larger] = ['9'.repeat(399) + '8', '9'.repeat(400)];
  expect(compareDecimals(`1e${large}`, `1e${larger}`)).toBe(-1);
  expect(compareDecimals(`-1e${large}`, `-1e${larger}`)).toBe(1);
  expect(compareDecimals(`1e-${large}`, `1e-${larger}`)).toBe(1);
  expect(compareDecimals('1e+0000000000000000000005', '100000')).toBe(0);
  expect([`1e${larger}`, `3e${larger}`, `1e-${larger}`].map((text) => isMultiple(text, '0.01'))).toEqual([
    true,
    true,
    false,
  ]);
  expect([`7e${larger}`, `3e${larger}`].map((text) => isMultiple(text, '7'))).toEqual([true, false]);
});
