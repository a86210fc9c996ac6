/** Constant strings of a configuration, which are visible to everyone who has the generated code. */
import type { Expression, Template } from '../../../read/expression/ast.js';

/** The string of an expression or template that consists only of constants; otherwise undefined. */
export function constantText(value: Expression | Template): string | undefined {
  if ('kind' in value) {
    if (value.kind === 'text' || value.kind === 'number') return String(value.value);
    return value.kind === 'concat' ? constantText(value.parts) : undefined;
  }
  const texts = value.map((part) => (typeof part === 'string' ? part : constantText(part)));
  return texts.includes(undefined) ? undefined : texts.join('');
}
