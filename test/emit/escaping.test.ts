/** Escaped configuration strings in code evaluate to exactly the same string. */
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { ts } from 'ts-morph';
import { describe, expect, test } from 'vitest';
import { commentText, lineComment } from '../../compiler/notation/typescript-writer.js';
import { environment } from '../../compiler/notation/environment-writer.js';
import { formatTypeScript } from '../../compiler/generate/emit/module/format.js';
import {
  numberLiteral,
  propertyKey,
  stringLiteral,
  templateText,
} from '../../compiler/notation/typescript-writer.js';
import { Environment } from '../../runtime/server/environment.js';
import { anyText, hostileTexts } from './hostile.js';
import { runs } from '../helpers/runs.js';

const many = { numRuns: runs(125, 2000) };

function evaluate(code: string): unknown {
  return runInNewContext(code) as unknown;
}

/** Characters invisible to readers of the code. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;

describe('a string literal', () => {
  test('evaluates to exactly its text, and hides nothing from its reader', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const literal = stringLiteral(text);
        expect(evaluate(`(${literal})`)).toBe(text);
        expect(literal).not.toMatch(invisible);
      }),
      many,
    );
  });

  test('keeps its text when the module is formatted', async () => {
    const list = `[${hostileTexts.map(stringLiteral).join(', ')}]`;
    expect(evaluate(`${await formatTypeScript(`const list = ${list};`)}; list`)).toEqual(hostileTexts);
  });
});

describe('the text of a template', () => {
  test('evaluates to exactly its text, alone, next to another one and next to placeholders', () => {
    fc.assert(
      fc.property(anyText(), anyText(), (before, after) => {
        const [left, right] = [templateText(before), templateText(after)];
        expect(evaluate(`\`${left}\``)).toBe(before);
        expect(evaluate(`\`${left}${right}\``)).toBe(`${before}${after}`);
        expect(evaluate(`\`${left}\${1}${right}\``)).toBe(`${before}1${after}`);
        expect(`${left}${right}`.replaceAll(/[\n\t]/g, '')).not.toMatch(invisible);
      }),
      many,
    );
  });

  test('keeps its text when the module is formatted', async () => {
    const list = `[${hostileTexts.map((text) => `\`${templateText(text)}\``).join(', ')}]`;
    expect(evaluate(`${await formatTypeScript(`const list = ${list};`)}; list`)).toEqual(hostileTexts);
  });
});

describe('a property key', () => {
  test('is an own property of exactly that name', () => {
    fc.assert(
      fc.property(
        fc.oneof(anyText(), fc.constantFrom('__proto__', 'constructor', 'toString', '', '0')),
        (name) => {
          const object = evaluate(`({ ${propertyKey(name)}: 1 })`) as object;
          expect(Object.getOwnPropertyNames(object)).toEqual([name]);
        },
      ),
      many,
    );
  });

  test('stays what it is when the module is formatted', async () => {
    const names = [...new Set(['__proto__', 'a', 'a-b', '0', '1e3', '-1', ...hostileTexts])].sort();
    const code = await formatTypeScript(
      `const o = { ${names.map((name) => `${propertyKey(name)}: 1`).join(', ')} };`,
    );
    expect((evaluate(`${code}; Object.getOwnPropertyNames(o)`) as string[]).sort()).toEqual(names);
  });
});

describe('a number literal', () => {
  test('evaluates to exactly its number, minus zero included', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(evaluate(`(${numberLiteral(value)})`)).toBe(value);
      }),
    );
  });

  test('is missing for what is not a JSON number', () => {
    for (const value of [NaN, Infinity, -Infinity]) expect(() => numberLiteral(value)).toThrow('not finite');
  });
});

describe('a comment', () => {
  /** The tokens of the code. Comments are trivia, so text that escapes from a comment becomes a token. */
  function tokens(code: string): string[] {
    const scanner = ts.createScanner(ts.ScriptTarget.ES2023, true, ts.LanguageVariant.Standard, code);
    const found: string[] = [];
    while (scanner.scan() !== ts.SyntaxKind.EndOfFileToken) found.push(scanner.getTokenText());
    return found;
  }

  test('never ends early, neither on a line nor between markers', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(tokens(`${lineComment(text)}\nend`)).toEqual(['end']);
        expect(tokens(`/** ${commentText(text)} */ end`)).toEqual(['end']);
        expect(commentText(text)).not.toMatch(invisible);
      }),
      many,
    );
  });

  test('has the content of the configuration', () => {
    expect(lineComment("if: PARAM(q) != TEXT('a')")).toBe("// if: PARAM(q) != TEXT('a')");
  });
});

describe('a value of .env', () => {
  /** The value that a service reads from an `.env` file with this line. */
  function read(line: string, variables: Readonly<Record<string, string>> = {}): string | undefined {
    const environment = new Environment(variables, `# before\nA=${line}\nB=after\n`);
    expect(environment.text('B')).toBe('after');
    const value = environment.text('A');
    expect(environment.problems).toEqual([]);
    return value;
  }

  test('is read by the service exactly as in the configuration', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const plain = text.replaceAll('${', '$(');
        expect(read(environment.value(plain))).toBe(plain);
        expect(environment.value(plain)).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\ufeff]/u);
      }),
      many,
    );
  });

  test('keeps its references, which the environment resolves, else the default', () => {
    fc.assert(
      fc.property(anyText(), anyText(), anyText(), (before, fallback, after) => {
        const plain = [before, fallback, after].map((text) => text.replaceAll(/[${}]/g, ''));
        const [left = '', middle = '', right = ''] = plain;
        const line = environment.value(`${left}\${NAME:${middle}}${right}`);
        // `${NAME:-default}` is expanded as in shells.
        expect(read(line)).toBe(`${left}${middle.replace(/^-/, '')}${right}`);
        expect(read(line, { NAME: '"${A}\\' })).toBe(`${left}"\${A}\\${right}`);
      }),
      many,
    );
  });
});
