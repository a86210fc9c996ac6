/** Which fulfillment returns the rows of each model in mapped responses, and through which joins. */
import type { Body, Entries, RowSource } from '../../analyze/mapping/body-parts.js';
import type { OperationPlan } from '../../generate/plan/operation-plan.js';
import type { ExplainedModel, ExplainedRows } from './explained.js';

/** Models in response order, outer models before nested ones. */
export function explainModels({ responses }: OperationPlan): ExplainedModel[] {
  return responses.flatMap(({ name, mapped }) => (mapped === undefined ? [] : modelsIn(mapped, '$', name)));
}

function modelsIn(body: Body, at: string, response: string): ExplainedModel[] {
  switch (body.kind) {
    case 'object':
      return body.fields.flatMap(({ key, value }) => modelsIn(value, `${at}${step(key)}`, response));
    case 'entries': {
      const own = body.take === 'every' ? `${at}[]` : at;
      return [explainEntries(body, own, response), ...modelsIn(body.item, own, response)];
    }
    case 'row':
      return modelsIn(body.item, at, response);
    case 'single':
      return modelsIn(body.item, `${at}[]`, response);
    case 'column':
      return [{ response, model: null, at: `${at}[]`, take: 'every row', from: [rowsOf(body.of, false)] }];
    case 'value':
      return [];
  }
}

function explainEntries({ model, take, of }: Entries, at: string, response: string): ExplainedModel {
  return {
    ...{ response, model: model ?? null, at },
    take: take === 'every' ? 'every row' : 'first row',
    from: of.map(({ row, of: reach }) => rowsOf(reach, row.isOptional)),
  };
}

function rowsOf({ fulfillment, steps }: RowSource, optional: boolean): ExplainedRows {
  const joins = steps.flatMap(({ from, to, keys }) =>
    keys.map((key) => `${from}.${key.from} == ${to}.${key.to}`),
  );
  return { fulfillment, joins, optional };
}

function step(key: string): string {
  return /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(key) ? `.${key}` : `['${key}']`;
}
