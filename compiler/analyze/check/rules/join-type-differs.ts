/** Joins of columns whose values are never equal, or hardly ever, by the schema of the database (decisions 4.1, 8.2). */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { JoinSide } from '../../mapping/written-joins.js';
import { typeAt } from '../../types/infer.js';
import { equalityOf } from '../../types/key-equality.js';
import type { ValueType } from '../../types/value-type.js';
import type { Environment } from '../../types/visible-values.js';
import { rule } from '../rule.js';

export const joinTypeDiffers = rule(
  {
    'join-type-differs': warning(
      (p: {
        /** The two columns, with the names of their types. */
        columns: readonly [readonly [string, string], readonly [string, string]];
        /** What the strings of the first column must be. */
        kind: 'number' | 'boolean' | undefined;
        /** The join of columns that match. */
        likely: string | undefined;
      }) => {
        const [one, other] = p.columns.map(([column, type]) => `'${column}' (${type})`);
        return {
          message:
            p.kind === undefined
              ? `${one ?? ''} never equals ${other ?? ''}.`
              : `${one ?? ''} equals ${other ?? ''} only where the string is a ${p.kind}.`,
          hint:
            p.likely === undefined
              ? 'Join columns of the same type, or cast one of them in its SQL.'
              : `Did you mean ${p.likely}?`,
        };
      },
    ),
  },
  ({ report }) => ({
    operation: (_, { analyzed }) => {
      const { joins, flow } = analyzed;
      if (joins.distinct.length === 0) return;
      const environments = new Map(
        flow.evaluations.map(({ expression, environment }) => [expression, environment]),
      );
      for (const { condition, ...join } of joins.distinct) {
        // Whatever way it is written.
        const [left, right] =
          textOf(join.left) < textOf(join.right) ? [join.left, join.right] : [join.right, join.left];
        const environment = environments.get(condition);
        if (environment === undefined) continue;
        const [one, other] = [columnOf(left, environment), columnOf(right, environment)];
        const equality = equalityOf(one, other);
        if (equality === 'possible') continue;
        const columns = [
          [textOf(left), nameOf(one)],
          [textOf(right), nameOf(other)],
        ] as const;
        const isTurned = equality !== 'never' && one.kinds.has(equality);
        report('join-type-differs', condition.span, {
          columns: isTurned ? [columns[1], columns[0]] : columns,
          kind: equality === 'never' ? undefined : equality,
          likely: likelyJoin(left, right, environment) ?? likelyJoin(right, left, environment),
        });
      }
    },
  }),
);

function columnOf({ fulfillment, field }: JoinSide, environment: Environment): ValueType {
  return typeAt(environment.result(fulfillment).type, [{ kind: 'name', name: field }]);
}

function textOf({ fulfillment, field }: JoinSide): string {
  return `${fulfillment}.${field}`;
}

/** As the database calls it, else by its kind. */
function nameOf({ column, kinds }: ValueType): string {
  return column ?? [...kinds].filter((kind) => kind !== 'null').join(' or ');
}

/** With the id of the one instead: `authors.id == news.author_id`. */
function likelyJoin(one: JoinSide, key: JoinSide, environment: Environment): string | undefined {
  const id = { ...one, field: 'id' };
  const isThere = environment.result(one.fulfillment).type.element?.fields?.names.includes('id') === true;
  if (!isThere || !/id$/i.test(key.field)) return undefined;
  const isEqual = equalityOf(columnOf(id, environment), columnOf(key, environment)) === 'possible';
  return isEqual ? `${textOf(id)} == ${textOf(key)}` : undefined;
}
