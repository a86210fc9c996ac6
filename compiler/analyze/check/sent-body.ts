/** Compares the body of a request with the third party's description. */
import type { Request, Schema } from '../../read/config/config-model.js';
import type { ApiEndpoint } from '../../read/openapi/api-model.js';
import type { Span } from '../../read/source.js';
import { typeOf } from '../types/infer.js';
import type { ValueType } from '../types/value-type.js';
import type { RequestSite } from './rule.js';
import { problemsOf, type Sent, type SentField, type SentProblem } from './sent-value.js';

export function bodyProblems(
  { body, bodyType, multipart, fields }: Request,
  endpoint: ApiEndpoint,
  { analyzed }: Pick<RequestSite, 'analyzed'>,
): readonly SentProblem[] {
  const { json, form } = endpoint.body ?? {};
  const span = fields.get('body');
  if (body !== undefined && span !== undefined) {
    const isForm = bodyType === 'form';
    const described = isForm ? form?.schema : json;
    return described === undefined
      ? []
      : problemsOf(sentOf(body, span, analyzed.flow.built), described, isForm ? 'form' : 'json');
  }
  const parts = fields.get('multipart');
  if (parts === undefined || form === undefined) return [];
  const { evaluations } = analyzed.flow;
  const sent = multipart.map(({ name, value }): SentField => {
    const evaluated = evaluations.find(({ expression }) => expression === value);
    const type = evaluated && typeOf(value, evaluated.environment);
    return { key: name.value, span: name.span, value: { kind: 'leaf', span: value.span, type } };
  });
  return problemsOf({ kind: 'object', span: parts, fields: sent }, form.schema, 'form');
}

/** `types` contains the types of all parts of the schema. */
function sentOf(schema: Schema, span: Span, types: ReadonlyMap<Schema, ValueType>): Sent {
  switch (schema.kind) {
    case 'leaf':
      return {
        ...{ kind: 'leaf', span: schema.value.span },
        type: schema.isFaulty === true ? undefined : types.get(schema),
      };
    case 'array':
      return { kind: 'array', span, items: [sentOf(schema.item, schema.list.span, types)] };
    case 'object':
      return {
        ...{ kind: 'object', span },
        fields: schema.fields.map(({ key, span: named, value }) => ({
          ...{ key, span: named },
          value: sentOf(value, named, types),
        })),
      };
  }
}
