/** Puts the parts of a statement together: the text as it is written, with parts in place of placeholders and IN lists. */
import type { ScalarText } from '../source.js';
import { castFor } from './cast.js';
import type { Bounds } from './bounds.js';
import type { Dialect } from './dialect.js';
import { unfold } from './fold.js';
import { inListsOf } from './in-list.js';
import { isOperand } from './mysql-parameter.js';
import type { SqlPart } from './part.js';
import type { Token } from './token.js';

/** The parts of the statement that `bounds` gives, with no white space around them and no semicolons. */
export function partsOf(
  text: ScalarText,
  tokens: readonly Token[],
  bounds: Bounds,
  dialect: Dialect,
): readonly SqlPart[] {
  const { items, semicolons } = bounds;
  const folded = unfold(text, tokens);
  const pieces = tokens.map((token, index): SqlPart[] => {
    if (semicolons.has(index)) return [];
    if (token.kind === 'placeholder') return [{ kind: 'value' }];
    return [{ kind: 'text', text: folded.get(index) ?? token.text }];
  });
  for (const [position, { token, index }] of items.entries()) {
    if (token.kind !== 'placeholder' || token.expression === undefined) continue;
    const value = pieces[index] ?? [];
    if (dialect === 'postgresql') {
      const type = castFor(items, position, token.expression);
      if (type !== undefined) value.push({ kind: 'text', text: `::${type}` });
    } else if (isOperand(items, position)) {
      value.unshift({ kind: 'text', text: 'CAST(' });
      value.push({ kind: 'text', text: ' AS DECIMAL(65, 30))' });
    }
  }
  for (const { first, last, parts } of inListsOf(items, dialect)) {
    for (let index = first; index <= last; index += 1) pieces[index] = index === first ? [...parts] : [];
  }
  return trimmed(joined(pieces.flat()));
}

/** Neighbouring texts become one. */
export function joined(parts: readonly SqlPart[]): SqlPart[] {
  const result: SqlPart[] = [];
  let text = '';
  const flush = (): void => {
    if (text !== '') result.push({ kind: 'text', text });
    text = '';
  };
  for (const part of parts) {
    if (part.kind === 'text') text += part.text;
    else {
      flush();
      result.push(part);
    }
  }
  flush();
  return result;
}

function trimmed(parts: readonly SqlPart[]): SqlPart[] {
  const shortened = parts.map((part, index): SqlPart => {
    if (part.kind !== 'text') return part;
    let { text } = part;
    if (index === 0) text = text.replace(/^[ \t\n\r\f\v]+/, '');
    if (index === parts.length - 1) text = withoutEndSpace(text);
    return { kind: 'text', text };
  });
  return joined(shortened);
}

/** Like `trimEnd`, for SQL's own white space only; a pattern would take quadratic time. */
function withoutEndSpace(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t\n\r\f\v'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
