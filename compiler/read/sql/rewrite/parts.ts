/** Assembles the parts of a statement: the SQL as written, with markers in place of placeholders and IN lists. */
import type { Expression } from '../../expression/ast.js';
import { castFor } from './cast.js';
import { equalPlaceholders } from './equal-placeholders.js';
import { unfold } from '../lexer/unfold-yaml.js';
import { inListsOf } from './in-list.js';
import { isJsonValue, useOf, type ValueUse } from '../facts/mysql-use.js';
import type { Placeholder, SqlTree } from '../parse/tree.js';
import type { SqlPart } from './text-part.js';
import type { SqlStatement } from '../statement.js';
import { typingOf } from './untyped-values.js';
import type { KindOf, ValueKind } from '../facts/value-kind.js';

/** The SQL sent for a statement, without surrounding white space and semicolons, and the values of its markers. */
export function partsOf(
  statement: Pick<SqlStatement, 'dialect' | 'pieces'>,
  kindOf: KindOf,
): {
  parts: readonly SqlPart[];
  bindings: readonly Expression[];
} {
  const { sent, bindings } = partsByToken(statement, kindOf);
  return { parts: trimmed(joined(sent.flat())), bindings };
}

/** `sent` is the text sent for each token. */
export function partsByToken(
  { dialect, pieces }: Pick<SqlStatement, 'dialect' | 'pieces'>,
  kindOf: KindOf,
): {
  sent: readonly (readonly SqlPart[])[];
  bindings: readonly Expression[];
} {
  const { text, tokens, bounds, tree } = pieces;
  const placeholders = placeholdersIn(tree);
  const { items, semicolons } = bounds;
  const folded = unfold(text, tokens);
  const sent = tokens.map((token, index): SqlPart[] => {
    if (semicolons.has(index)) return [];
    return [{ kind: 'text', text: folded.get(index) ?? token.text }];
  });
  const lists = inListsOf(tree, dialect);
  // If the SQL has lists, the number of markers varies, so markers cannot be referred to by number.
  const isFixed = lists.every(({ parts }) => parts.some(isMarker));
  const same = dialect === 'postgresql' && isFixed ? equalPlaceholders(tree) : new Map<number, number>();
  const casts = dialect === 'postgresql' ? typingOf(tree, kindOf).casts : new Map<Placeholder, string>();
  const bindings: Expression[] = [];
  const numbers = new Map<number, number>();
  for (const [position, { token, index }] of items.entries()) {
    if (token.kind !== 'placeholder' || token.expression === undefined) continue;
    const earlier = numbers.get(same.get(position) ?? -1);
    if (earlier === undefined) {
      numbers.set(position, bindings.length);
      bindings.push(token.expression);
    }
    const value: SqlPart = earlier === undefined ? { kind: 'value' } : { kind: 'same', value: earlier };
    const type =
      dialect === 'postgresql'
        ? typeAt(placeholders.get(position), tree, casts, kindOf(token.expression))
        : undefined;
    const [before, after] =
      // JSON_EXTRACT works on both MySQL and MariaDB; only MySQL has CAST(… AS JSON).
      dialect === 'mysql' && isJsonValue(useAt(placeholders.get(position), tree), token.expression)
        ? ['JSON_EXTRACT(', ", '$')"]
        : ['', type === undefined ? '' : `::${type}`];
    sent[index] = [{ kind: 'text', text: before }, value, { kind: 'text', text: after }];
  }
  for (const { first, last, parts } of lists) {
    const value = sent
      .slice(first, last + 1)
      .flat()
      .find(isMarker);
    for (let index = first; index <= last; index += 1) sent[index] = [];
    sent[first] = parts.map((part) => (isMarker(part) ? (value ?? part) : part));
  }
  return { sent, bindings };
}

function placeholdersIn({ nodes }: SqlTree): ReadonlyMap<number, Placeholder> {
  return new Map(nodes.flatMap((node) => (node.kind === 'placeholder' ? [[node.first, node]] : [])));
}

function typeAt(
  placeholder: Placeholder | undefined,
  tree: SqlTree,
  casts: ReadonlyMap<Placeholder, string>,
  kind: ValueKind | undefined,
): string | undefined {
  return placeholder && (casts.get(placeholder) ?? castFor(placeholder, tree, kind));
}

function useAt(placeholder: Placeholder | undefined, tree: SqlTree): ValueUse | undefined {
  return placeholder && useOf(placeholder, tree);
}

function isMarker({ kind }: SqlPart): boolean {
  return kind === 'value' || kind === 'same';
}

/** Merges adjacent text parts. */
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

/** Like `trimEnd`, but only for SQL white space; a regular expression would need quadratic time. */
function withoutEndSpace(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t\n\r\f\v'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
