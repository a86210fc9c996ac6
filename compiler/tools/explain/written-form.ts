/** Expressions, texts with placeholders and schemas as they are written in the configuration, on one line. */
import type { Schema } from '../../read/config/config-model.js';
import { isSecretHeader, isSecretOption } from '../../read/diagnostics/secrets/secret-words.js';
import type { Syntax, Template } from '../../read/expression/ast.js';
import { printExpression } from '../../read/expression/print-expression.js';

/** `GET https://api.example.com/news/:[PARAM(id)]`. */
export function writtenTemplate(template: Template, syntax: Syntax): string {
  return template
    .map((part) => (typeof part === 'string' ? part : `:[${printExpression(part, syntax)}]`))
    .join('');
}

/** The URL with stars instead of constants of its query that look like secrets. */
export function writtenUrl(template: Template, syntax: Syntax): string {
  return writtenTemplate(template, syntax)
    .trim()
    .replaceAll(/([?&])([^=&#]+)=(?!:\[)([^&#]+)/g, (all, mark: string, name: string) =>
      isSecretOption(name) ? `${mark}${name}=***` : all,
    );
}

/** The value of a header; stars for a constant that looks like a secret. */
export function writtenHeader(name: string, value: Template, syntax: Syntax): string {
  const isConstant = value.every((part) => typeof part === 'string');
  return isConstant && isSecretHeader(name) ? '***' : writtenTemplate(value, syntax);
}

/** An expression, or a schema in the notation of YAML: `{ id: PARAM(id) }`. */
export function writtenSchema(schema: Schema, syntax: Syntax): string {
  switch (schema.kind) {
    case 'leaf':
      return printExpression(schema.value, syntax);
    case 'array':
      return `{ list: ${printExpression(schema.list, syntax)}, item: ${writtenSchema(schema.item, syntax)} }`;
    case 'object':
      return `{ ${schema.fields.map(({ key, value }) => `${key}: ${writtenSchema(value, syntax)}`).join(', ')} }`;
  }
}
