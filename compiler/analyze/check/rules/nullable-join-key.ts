/** Joins on a column that can be null, where the API description requires the object that they lead to (decisions 8.1, 8.2). */
import type { AnalyzedOperation } from '../../operations/analyzed-operation.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Body } from '../../mapping/body-parts.js';
import { describedBody } from '../../mapping/described.js';
import { allowsNull, shapeOf } from '../../mapping/shape.js';
import type { ApiSchema } from '../../../read/openapi/api-model.js';
import type { Span } from '../../../read/source.js';
import { rule } from '../rule.js';

export const nullableJoinKey = rule(
  {
    'nullable-join-key': warning((p: { field: string; key: string }) => ({
      message: `'${p.field}' is null where '${p.key}' is null, but the API description does not allow it.`,
      hint: `Allow null for '${p.field}' in the description (3.0: nullable: true; 3.1: oneOf with type: 'null'), make the column NOT NULL, or select only rows that have it.`,
    })),
  },
  ({ report }) => {
    const reported = new Set<Span>();
    return {
      response: (response, { analyzed }) => {
        const body = analyzed.mapped.bodies.get(response);
        const schema = describedBody(response, analyzed.endpoint);
        if (body === undefined || schema === undefined) return;
        for (const { field, key, span } of nullKeys(body, schema, analyzed)) {
          if (!reported.has(span)) report('nullable-join-key', span, { field, key });
          reported.add(span);
        }
      },
    };
  },
);

interface NullKey {
  readonly field: string;
  readonly key: string;
  /** Of the join. */
  readonly span: Span;
}

function nullKeys(body: Body, schema: ApiSchema, analyzed: AnalyzedOperation): NullKey[] {
  const shape = shapeOf(schema);
  switch (body.kind) {
    case 'entries':
    case 'single':
      return nullKeys(body.item, shape.kind === 'list' ? shape.items : schema, analyzed);
    case 'row':
      return nullKeys(body.item, schema, analyzed);
    case 'object': {
      const { fields } = body;
      if (shape.kind === 'list') return [];
      return fields.flatMap(({ key, value }) => {
        const property = shape.properties.get(key);
        if (property === undefined) return [];
        return [...ofField(key, value, property, analyzed), ...nullKeys(value, property, analyzed)];
      });
    }
    case 'column':
    case 'value':
      return [];
  }
}

/** The first step of the joins that lead to one object: if its key is null, there is no object. */
function ofField(field: string, value: Body, schema: ApiSchema, analyzed: AnalyzedOperation): NullKey[] {
  if (value.kind !== 'entries' || value.take !== 'first' || allowsNull(schema)) return [];
  const [step] = value.of[0].of.steps;
  const index = step?.keys.findIndex(({ from }) => isOftenNull(step.from, from, analyzed)) ?? -1;
  const [key, join] = [step?.keys[index], step?.joins[index]];
  if (step === undefined || join === undefined || key === undefined) return [];
  return [{ field, key: `${step.from}.${key.from}`, span: join.condition.span }];
}

/** By the schema of the database, where it is known. */
function isOftenNull(
  fulfillment: string,
  column: string,
  { fulfillments, flow }: AnalyzedOperation,
): boolean {
  return fulfillments.some(
    ({ fulfillment: one }) =>
      one.name.value === fulfillment &&
      'instructions' in one &&
      one.instructions.some(({ action }) => {
        const rows = action === undefined || 'kind' in action ? undefined : flow.rows.get(action);
        return rows?.element?.fields?.typeOf(column)?.isOftenNull === true;
      }),
  );
}
