/** The lexer for both dialects: tables of tokens, and the property that no character is lost. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Dialect } from '../../compiler/read/sql/dialect.js';
import { lexSql } from '../../compiler/read/sql/lexer/lexer.js';
import type { Placeholders } from '../../compiler/read/sql/lexer/placeholders.js';
import { anySql } from './any-sql.js';
import { runs } from '../helpers/runs.js';

/** Every `:[…]` is a placeholder up to the next `]`. */
function upToBracket(text: string): Placeholders {
  const tryRead = (start: number): number | undefined => text.indexOf(']', start) + 1 || undefined;
  const read = (start: number) => ({ expression: undefined, end: tryRead(start) ?? text.length });
  return { looksLike: () => true, read, tryRead };
}

function kinds(dialect: Dialect, text: string): string {
  const tokens = lexSql(text, dialect, upToBracket(text));
  return tokens.map(({ kind, text: written }) => (kind === 'space' ? ' ' : `${kind}‹${written}›`)).join('');
}

describe.each<[Dialect, string, string]>([
  ['postgresql', "'a''b'", "literal‹'a''b'›"],
  ['postgresql', "'a\\'b", "literal‹'a\\'›word‹b›"],
  ['postgresql', "e'a\\'b'c", "literal‹e'a\\'b'›word‹c›"],
  ['postgresql', "name'a'", "word‹name›literal‹'a'›"],
  ['postgresql', 'U&"a""b"', 'quoted-name‹U&"a""b"›'],
  ['postgresql', '$a$ $b$ $$ $a$$1', 'literal‹$a$ $b$ $$ $a$›positional‹$1›'],
  ['postgresql', 'a$b$c', 'word‹a$b$c›'],
  ['postgresql', '1--2\n3', 'number‹1›comment‹--2› number‹3›'],
  ['postgresql', '/* /* */ */x', 'comment‹/* /* */ */›word‹x›'],
  ['postgresql', '# `', 'operator‹#› operator‹`›'],
  ['postgresql', 'a::b:=c:d', 'word‹a›operator‹::›word‹b›operator‹:=›word‹c›operator‹:›word‹d›'],
  ['postgresql', 'a[1::[x]]', 'word‹a›operator‹[›number‹1›operator‹:›placeholder‹:[x]›operator‹]›'],
  ['postgresql', '???|', 'question‹??›question‹?›operator‹|›'],
  [
    'postgresql',
    '0xF_f 0o17 0B1_0 1_000.5 1_ 0xg',
    'number‹0xF_f› number‹0o17› number‹0B1_0› number‹1_000.5› number‹1›word‹_› number‹0›word‹xg›',
  ],
  ['mysql', '0xFf 0b10 0XF 0xFg', 'number‹0xFf› number‹0b10› number‹0›word‹XF› number‹0›word‹xFg›'],
  ['postgresql', '1.5e-3.5', 'number‹1.5e-3›number‹.5›'],
  ['mysql', '"a\\"b""c"', 'literal‹"a\\"b""c"›'],
  ['mysql', '`a\\``b`', 'quoted-name‹`a\\``b`›'],
  ['mysql', '1--2', 'number‹1›operator‹-›operator‹-›number‹2›'],
  ['mysql', '1--\t2\n3', 'number‹1›comment‹--\t2› number‹3›'],
  ['mysql', '1--', 'number‹1›comment‹--›'],
  ['mysql', '/* /* */x', 'comment‹/* /* */›word‹x›'],
  ['mysql', '/*! a */#b', 'comment‹/*! a */›comment‹#b›'],
  ['mysql', '$1$a$', 'word‹$1$a$›'],
])('%s: %s', (dialect, text, expected) => {
  test('has the tokens that the server sees', () => {
    expect(kinds(dialect, text)).toBe(expected);
  });
});

test('a quote inside a placeholder does not end the string around it', () => {
  expect(kinds('postgresql', "'a :[x'y] b' c")).toBe("literal‹'a :[x'y] b'› word‹c›");
});

test.each(['postgresql', 'mysql'] as const)(
  '%s: the texts of all tokens, joined, are the text',
  (dialect) => {
    fc.assert(
      fc.property(anySql, (text) => {
        const tokens = lexSql(text, dialect, upToBracket(text));
        expect(tokens.map((token) => token.text).join('')).toBe(text);
        expect(tokens.every((token) => text.slice(token.start, token.end) === token.text)).toBe(true);
      }),
      { numRuns: runs(125, 2000) },
    );
  },
);
