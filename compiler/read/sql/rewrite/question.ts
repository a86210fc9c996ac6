/** The SQL with which the database describes a statement at build time, and the source position of each part. */
import type { Expression } from '../../expression/ast.js';
import type { Span } from '../../source.js';
import { partsByToken } from './parts.js';
import { returningClause } from './returning.js';
import type { SqlStatement } from '../statement.js';
import type { Token } from '../lexer/token.js';
import type { KindOf } from '../facts/value-kind.js';

/** A statement for the database to describe. */
export interface Question {
  /** The SQL with one marker per value; a list of values has a single marker. */
  readonly text: string;
  /** The SQL without the added RETURNING, which the service omits if the database refuses it. */
  readonly withoutReturning?: string;
  /** The bound expressions, in marker order. */
  readonly bindings: readonly Expression[];
  /** The indexes of the markers that are lists of values. */
  readonly lists: ReadonlySet<number>;
  /** The configuration span of the character at that index of `text`. */
  spanOf(index: number): Span;
}

interface Stretch {
  readonly from: number;
  /** The token's index among all tokens. */
  readonly token: number;
}

/** Includes RETURNING if the service may add it, so that the columns of the rows are known. */
export function questionOf(statement: SqlStatement, kindOf: KindOf): Question {
  const { dialect, pieces, takesReturning } = statement;
  const { sent, bindings } = partsByToken(statement, kindOf);
  const stretches: Stretch[] = [];
  const lists = new Set<number>();
  let text = '';
  let count = 0;
  const marker = (number: number): string => (dialect === 'postgresql' ? `$${number}` : '?');
  for (const [index, parts] of sent.entries()) {
    for (const part of parts) {
      stretches.push({ from: text.length, token: index });
      switch (part.kind) {
        case 'text':
          text += part.text;
          break;
        case 'value':
          count += 1;
          text += marker(count);
          break;
        case 'same':
          text += marker(part.value + 1);
          break;
        case 'in-list':
          for (let index = 0; index < part.count; index += 1) lists.add(count + index);
          text += `${part.negated ? 'NOT ' : ''}IN (${Array.from({ length: part.count }, () => marker((count += 1))).join(', ')})`;
          break;
        case 'elements':
          lists.add(count);
          count += 1;
          text += part.comma === 'before' ? `, ${marker(count)}` : `${marker(count)}, `;
          break;
      }
    }
  }
  const spanOf = (index: number): Span => spanIn(stretches, index, statement);
  if (!takesReturning) return { text, bindings, lists, spanOf };
  return { text: text + returningClause(text, pieces), withoutReturning: text, bindings, lists, spanOf };
}

/** The span of the name or other token at that index; after the end, the last significant token. */
function spanIn(stretches: readonly Stretch[], index: number, { pieces }: SqlStatement): Span {
  const { tokens, text } = pieces;
  let first = stretches.findLast(({ from }) => from <= index)?.token ?? 0;
  while (first > 0 && isSpace(tokens[first])) first -= 1;
  let last = first;
  // A name is reported with its qualifiers: `n.title`.
  while (tokens[last + 1]?.text === '.' && tokens[last + 2]?.kind === 'word') last += 2;
  const [start, end] = [tokens[first]?.start ?? 0, tokens[last]?.end ?? text.value.length];
  return text.spanOf(start, end);
}

function isSpace(token: Token | undefined): boolean {
  return token?.kind === 'space' || token?.kind === 'comment';
}
