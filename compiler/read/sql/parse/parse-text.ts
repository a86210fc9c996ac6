/**
 * Parses a single statement without placeholders of the configuration: SQL as sent to the server, a view's query, a statement of a function
 * body.
 */
import type { Dialect } from '../dialect.js';
import { lexSql } from '../lexer/lexer.js';
import { noPlaceholders } from '../lexer/placeholders.js';
import type { Token } from '../lexer/token.js';
import { itemsOf, parseSql } from './parser.js';
import type { SqlTree } from './tree.js';

/** MySQL's `?` markers become placeholders; semicolons are dropped. */
export function parseText(text: string, dialect: Dialect): SqlTree {
  const tokens = lexSql(text, dialect, noPlaceholders).filter((token) => token.text !== ';');
  const marked = tokens.map((token): Token =>
    token.kind === 'question' && dialect === 'mysql'
      ? { ...token, kind: 'placeholder', expression: undefined }
      : token,
  );
  return parseSql(itemsOf(marked), dialect);
}
