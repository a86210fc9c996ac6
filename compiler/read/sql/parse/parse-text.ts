/** The tree of one statement without placeholders: as it is sent, of a view, of a body. */
import type { Dialect } from '../dialect.js';
import { lexSql } from '../lexer/lexer.js';
import { noPlaceholders } from '../lexer/placeholders.js';
import type { Token } from '../lexer/token.js';
import { itemsOf, parseSql } from './parser.js';
import type { SqlTree } from './tree.js';

/** The markers of MySQL are placeholders; semicolons are left out. */
export function parseText(text: string, dialect: Dialect): SqlTree {
  const tokens = lexSql(text, dialect, noPlaceholders).filter((token) => token.text !== ';');
  const marked = tokens.map((token): Token =>
    token.kind === 'question' && dialect === 'mysql'
      ? { ...token, kind: 'placeholder', expression: undefined }
      : token,
  );
  return parseSql(itemsOf(marked), dialect);
}
