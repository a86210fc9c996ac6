/** Expressions, templates and schemas as written in the configuration, on one line. */
import type { Schema } from '../../read/config/config-model.js';
import {
  isSecretHeader,
  isSecretOption,
  tokensInPaths,
} from '../../read/diagnostics/secrets/secret-words.js';
import type { Expression, Syntax, Template } from '../../read/expression/ast.js';
import { printExpression } from '../../read/expression/print-expression.js';
import { constantText } from '../../analyze/operations/requests/constant-text.js';

/** A template with its placeholders, such as `GET https://api.example.com/news/:[PARAM(id)]`. */
export function writtenTemplate(template: Template, syntax: Syntax): string {
  return template
    .map((part) => (typeof part === 'string' ? part : `:[${printExpression(part, syntax)}]`))
    .join('');
}

/** The trigger of an exception with `constraint`. */
export function writtenViolation(constraint: string): string {
  return `constraint ${constraint} is violated`;
}

/** The URL, with constants in path and query that look like secrets replaced by stars. */
export function writtenUrl(template: Template, syntax: Syntax): string {
  const parts = template.map((part) => (typeof part === 'string' ? part : (constantText(part) ?? part)));
  const text = writtenTemplate(parts, syntax).trim();
  return tokensInPaths(text)
    .reduceRight((left, { start, end }) => `${left.slice(0, start)}***${left.slice(end)}`, text)
    .replaceAll(/([?&])([^=&#]+)=(?!:\[)([^&#]+)/g, (all, mark: string, name: string) =>
      isSecretOption(name) ? `${mark}${name}=***` : all,
    );
}

/** The value of a header; a constant that looks like a secret is replaced by stars. */
export function writtenHeader(name: string, value: Template, syntax: Syntax): string {
  return constantText(value) !== undefined && isSecretHeader(name) ? '***' : writtenTemplate(value, syntax);
}

/** An expression, or a schema in YAML notation: `{ id: PARAM(id) }`. */
export function writtenSchema(schema: Schema, syntax: Syntax): string {
  switch (schema.kind) {
    case 'leaf':
      return printExpression(schema.value, syntax);
    case 'array':
      return `{ list: ${printExpression(schema.list, syntax)}, item: ${writtenSchema(schema.item, syntax)} }`;
    case 'object':
      return `{ ${schema.fields.map(({ key, value }) => `${key}: ${writtenField(key, value, syntax)}`).join(', ')} }`;
  }
}

/** A field's value; a constant that looks like a secret is replaced by stars. */
export function writtenField(name: string, value: Schema, syntax: Syntax): string {
  return value.kind === 'leaf' ? writtenValue(name, value.value, syntax) : writtenSchema(value, syntax);
}

/** An expression; a constant whose name looks like that of a secret is replaced by stars. */
export function writtenValue(name: string, value: Expression, syntax: Syntax): string {
  const isSecret = isSecretOption(name) && constantText(value) !== undefined;
  return isSecret ? '***' : printExpression(value, syntax);
}
