/** URL templates for tests, and the URLs that a service builds from them: the code of `emit/request.ts`, executed directly. */
import type { Expression, Template } from '../../compiler/read/expression/ast.js';
import type { RequestUrl } from '../../compiler/analyze/operations/requests/request-url.js';
import { wholeText } from '../../compiler/read/source.js';
import { textOf, type Json } from '../../runtime/handler/json.js';
import { encode, segment, wholeUrl } from '../../runtime/rest/url-values.js';

const { span } = wholeText('config.yaml', '');

/** Values by parameter name. */
export type Values = ReadonlyMap<string, Json>;

/** `PARAM(name)`. */
export function param(name: string): Expression {
  return { kind: 'param', name, path: [], span };
}

/** A string in which `{name}`, in lower case, is a placeholder. */
export function template(text: string): Template {
  return text
    .split(/\{([a-z]+)\}/)
    .map((piece, index) => (index % 2 === 0 ? piece : param(piece)))
    .filter((piece) => piece !== '');
}

/** The URL of a request with these values. */
export function urlOf(url: RequestUrl, values: Values): string | URL {
  if (url.kind === 'whole') return wholeUrl(valueOf(url.value, values));
  return url.pieces
    .map((piece) => {
      switch (piece.kind) {
        case 'text':
          return piece.text;
        case 'segment':
          return segment(wholeOf(piece.value, values));
        case 'encoded':
          return encode(valueOf(piece.value, values));
      }
    })
    .join('');
}

function wholeOf(parts: Template, values: Values): Json {
  const [only, ...others] = parts;
  if (typeof only === 'object' && others.length === 0) return valueOf(only, values);
  return parts.map((part) => (typeof part === 'string' ? part : textOf(valueOf(part, values)))).join('');
}

function valueOf(expression: Expression, values: Values): Json {
  if (expression.kind !== 'param') throw new Error(`the tests have no ${expression.kind}`);
  return values.get(expression.name) ?? null;
}
