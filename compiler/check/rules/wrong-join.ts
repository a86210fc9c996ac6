/** Joins that are not of the form `a.x == b.y` (decisions 8.2). */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import type { Expression } from '../../expression/ast.js';
import { contains } from '../../expression/visit.js';
import { rule } from '../rule.js';

export const wrongJoin = rule(
  {
    'wrong-join': error((p: { problem: string; hint: string | undefined }) => ({
      message: `A join must be <fulfillment>.<field> == <fulfillment>.<field>${p.problem}.`,
      hint: p.hint,
    })),
  },
  ({ report }) => ({
    operation: (_, { analyzed }) => {
      for (const { condition, join } of analyzed.joins.written)
        if (join === undefined) report('wrong-join', condition.place, faultOf(condition.value));
    },
  }),
);

/** What is wrong with a condition that is no join, and what to write instead. */
function faultOf(condition: Expression): { problem: string; hint: string | undefined } {
  if (condition.kind === 'logical') {
    const hint =
      condition.operator === '&&'
        ? 'Write a list with one join for each line: all of them must match.'
        : undefined;
    return { problem: `, and this one has '${condition.operator}'`, hint };
  }
  if (condition.kind !== 'comparison') return { problem: '', hint: undefined };
  if (condition.operator !== '==')
    return {
      problem: `, and this one has '${condition.operator}'`,
      hint: 'A join compares fields with ==. Write any other comparison in the SQL of the query.',
    };
  if (condition.left.kind !== 'value' || condition.right.kind !== 'value') {
    const isWhole = contains(condition, 'result');
    return {
      problem: ', and one side of this one is something else',
      hint: isWhole
        ? 'Name a field of the fulfillment: news.id.'
        : 'A comparison with anything else belongs into the SQL of the query: WHERE … = :[param.id].',
    };
  }
  return {
    problem: ', and one side of this one is not a single field',
    hint: 'Select the value as a column of its own.',
  };
}
