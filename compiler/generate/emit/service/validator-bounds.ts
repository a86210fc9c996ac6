/** Which schema keywords constrain which kinds of values. */
import { checkedFormat, type ApiSchema } from '../../plan/model.js';
import { field, json, literal, type Field } from '../../code/code.js';

export type Kind = 'string' | 'number' | 'array' | 'object';

const keywords: Readonly<Record<Kind, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: ['minItems', 'maxItems', 'uniqueItems'],
  object: ['minProperties', 'maxProperties'],
};

/** The kinds of values that a schema without a type constrains. */
export function kindsOf(schema: ApiSchema): Kind[] {
  const {
    bounds,
    format,
    properties,
    required,
    additionalProperties,
    patternProperties,
    items,
    prefixItems,
  } = schema;
  const speaks: Readonly<Record<Kind, boolean>> = {
    string: checkedFormat(format) !== undefined,
    number: false,
    array: items !== undefined || prefixItems !== undefined,
    object:
      properties.size + required.length > 0 ||
      additionalProperties !== undefined ||
      patternProperties !== undefined,
  };
  const kinds: readonly Kind[] = ['string', 'number', 'array', 'object'];
  return kinds.filter((kind) => speaks[kind] || keywords[kind].some((keyword) => bounds.has(keyword)));
}

/** The bounds of a number; `exclusiveMinimum: true` of OpenAPI 3.0 makes the minimum exclusive. */
export function numberBounds({ bounds, format }: ApiSchema, kind: 'integer' | 'number'): Field[] {
  const found: Field[] = [];
  for (const [plain, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    const [limit, other] = [bounds.get(plain), bounds.get(exclusive)];
    if (limit !== undefined) found.push(field(other === true ? exclusive : plain, json(limit)));
    if (other !== undefined && typeof other !== 'boolean') found.push(field(exclusive, json(other)));
  }
  const multiple = bounds.get('multipleOf');
  if (multiple !== undefined) found.push(field('multipleOf', json(multiple)));
  if (kind === 'integer' && (format === 'int32' || format === 'int64'))
    found.push(field('format', literal(format)));
  return found;
}
