/** Response headers with encoded values, and content other than plain JSON. */
import type { Response, Schema, TemplateHeader } from '../../../read/config/config-model.js';
import type { Expression, Template } from '../../../read/expression/ast.js';
import { readsRequest } from '../../../read/expression/visit.js';
import { urlHeaders } from '../../../analyze/check/visited-headers.js';
import { bodyKind, charsetOf, isFileType, sentTypes } from '../../../read/openapi/media-type.js';
import type { ContentPlan, EncodedValue, ResponseHeader } from '../operation-plan.js';

export function planContent({ contentType, schema, spreadsheet }: Response): ContentPlan | undefined {
  const kind = bodyKind(contentType);
  if (contentType === undefined || kind === undefined) return undefined;
  const parts = { kind, columns: columnsOf(schema), spreadsheet };
  if (isFileType(contentType)) {
    const allowed = contentType.allowed.map(({ value }) => value);
    const file = contentType.stored && { stored: contentType.stored, allowed };
    return { type: alternatives(sentTypes(contentType)), file, ...parts };
  }
  const type = contentType.value;
  const isText = kind === 'text' || kind === 'csv';
  return {
    type: isText && charsetOf(type) === undefined ? `${type}; charset=utf-8` : type,
    file: undefined,
    ...parts,
  };
}

/** `image/png, image/jpeg or application/octet-stream` */
function alternatives(types: readonly string[]): string {
  return [types.slice(0, -1).join(', '), ...types.slice(-1)].filter((part) => part !== '').join(' or ');
}

/** The keys of the items of a list. */
function columnsOf(schema: Schema | undefined): string[] {
  if (schema?.kind !== 'array' || schema.item.kind !== 'object') return [];
  return schema.item.fields.map(({ key }) => key);
}

export function planHeader({ name, value }: TemplateHeader): ResponseHeader {
  const key = name.value.toLowerCase();
  return {
    name: name.value,
    parts: value.map((part, index) =>
      typeof part === 'string'
        ? part
        : { value: part, encode: encodingOf(key, value.slice(0, index), part, value.slice(index + 1)) },
    ),
  };
}

function encodingOf(
  header: string,
  before: Template,
  value: Expression,
  after: Template,
): EncodedValue['encode'] {
  if (header === 'set-cookie') return 'cookieValue';
  if (!urlHeaders.has(header)) return undefined;
  // The URLs of pages are encoded when they are made.
  if (value.kind === 'paging' && value.fact === 'link') return undefined;
  if (before.length === 0 && after.length === 0) return 'urlReference';
  // A value that is a complete path segment must not be empty or consist of dots.
  const url = textOf(before).replace(/^[^]*</, '');
  const isSegment = url.endsWith('/') && !/[?#]/.test(url) && /^(?:$|[/?#>])/.test(textOf(after));
  if (!isSegment) return 'encode';
  return readsRequest(value) ? 'segment' : 'storedSegment';
}

/** The template as a string, with `x` for each placeholder. */
function textOf(template: Template): string {
  return template.map((part) => (typeof part === 'string' ? part : 'x')).join('');
}
