/** The body that a request sends, beside the description of its third party. */
import type { Request, Schema } from '../../read/config/config-model.js';
import type { ApiEndpoint } from '../../read/openapi/api-model.js';
import type { Span } from '../../read/source.js';
import type { ValueType } from '../types/value-type.js';
import type { RequestSite } from './rule.js';
import { problemsOf, type Sent, type SentField, type SentProblem } from './sent-value.js';

export function bodyProblems(
  { body, bodyType, multipart, fields }: Request,
  endpoint: ApiEndpoint,
  { analyzed }: Pick<RequestSite, 'analyzed'>,
): readonly SentProblem[] {
  const { json, form } = endpoint.body ?? {};
  const typeOf: TypeOfPart = (schema) => analyzed.flow.built.get(schema);
  const span = fields.get('body');
  if (body !== undefined && span !== undefined) {
    const isForm = bodyType === 'form';
    const described = isForm ? form?.schema : json;
    return described === undefined
      ? []
      : problemsOf(sentOf(body, span, typeOf), described, isForm ? 'form' : 'json');
  }
  const parts = fields.get('multipart');
  if (parts === undefined || form === undefined) return [];
  const sent = multipart.map(({ name, value }): SentField => ({
    key: name.value,
    span: name.span,
    value: sentOf({ kind: 'leaf', value }, name.span, typeOf),
  }));
  return problemsOf({ kind: 'object', span: parts, fields: sent }, form.schema, 'form');
}

/** The type of each part of the notation. */
type TypeOfPart = (schema: Schema) => ValueType | undefined;

function sentOf(schema: Schema, span: Span, typeOf: TypeOfPart): Sent {
  switch (schema.kind) {
    case 'leaf':
      return {
        ...{ kind: 'leaf', span: schema.value.span },
        type: schema.isFaulty === true ? undefined : typeOf(schema),
      };
    case 'array':
      return { kind: 'array', span, items: [sentOf(schema.item, schema.list.span, typeOf)] };
    case 'object':
      return {
        ...{ kind: 'object', span },
        fields: schema.fields.map(({ key, span: named, value }) => ({
          ...{ key, span: named },
          value: sentOf(value, named, typeOf),
        })),
      };
  }
}
