/** Strings of a configuration that no request changes: whoever has the generated code has them. */
import type { Expression, Template } from '../../../read/expression/ast.js';

/** The text of an expression, or of a string with placeholders, that is made of constants alone; else undefined. */
export function constantText(value: Expression | Template): string | undefined {
  if ('kind' in value) {
    if (value.kind === 'text' || value.kind === 'number') return String(value.value);
    return value.kind === 'concat' ? constantText(value.parts) : undefined;
  }
  const texts = value.map((part) => (typeof part === 'string' ? part : constantText(part)));
  return texts.includes(undefined) ? undefined : texts.join('');
}
