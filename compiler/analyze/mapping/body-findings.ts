/** Reports parts of a body that cannot be built from the mappings. */
import { partOf } from '../../read/source.js';
import type { BodyContext, BodyScope } from './body-context.js';
import type { ObjectShape } from './shape.js';

/** A required field without a mapping, and the model of its value. */
export interface MissingField {
  readonly name: string;
  readonly model: string | undefined;
}

export function reportMissing(
  fields: readonly MissingField[],
  { models, requiredSpan }: ObjectShape,
  context: BodyContext,
  { operation, mappings, names, report }: BodyScope,
): void {
  const model = models.find((name) => mappings.has(name)) ?? models[0];
  const isMapped = model !== undefined && mappings.has(model);
  const span = isMapped ? context.span : (requiredSpan ?? context.span);
  report.add('required-not-mapped', span, {
    model,
    isMapped,
    operation: operation.name.value,
    fields,
    source: [...names][0],
  });
}

/** Reports a list item whose fields are not mapped from any fulfillment. */
export function reportNoRows(
  { models, properties }: ObjectShape,
  { span }: BodyContext,
  { names, report }: BodyScope,
): void {
  report.add('no-entries', span, {
    model: models[0],
    field: [...properties.keys()][0],
    source: names.size === 1 ? [...names].join('') : undefined,
  });
}

/** Reports a schema that can be built in several ways; `what` is the ambiguous part. */
export function reportUnclear(what: string, { span }: BodyContext, { operation, report }: BodyScope): void {
  const key = /'(\w+)'/.exec(what)?.[1] ?? 'items';
  report.add('unclear-model', partOf(span, key), { what, operation: operation.name.value });
}

/** Reports a body with more than `max` objects. */
export function reportTooLarge(max: number, { span }: BodyContext, { operation, report }: BodyScope): void {
  report.add('body-too-large', operation.fields.get('mappings') ?? span, {
    operation: operation.name.value,
    max,
  });
}
