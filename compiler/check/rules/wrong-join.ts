/** Joins that are not of the form `a.x == b.y` (decisions 8.2). */
import type { WrittenJoin } from '../../analyze/validate-joins.js';
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import type { Edit } from '../../diagnostics/fix.js';
import type { Expression } from '../../expression/ast.js';
import { conjunctsOf } from '../../mapping/written-joins.js';
import type { Located, Place } from '../../source.js';
import { rule } from '../rule.js';

export const wrongJoin = rule(
  {
    'wrong-join': error((p: { problem: string; hint: string; edits?: readonly Edit[] | undefined }) => ({
      message: p.problem,
      hint: p.hint,
      edits: p.edits,
    })),
  },
  ({ analysis, report }) => ({
    operation: (_, { analyzed }) => {
      const several = new Set(analyzed.joins.written.flatMap(({ whole }) => whole ?? []));
      for (const whole of several) {
        report('wrong-join', whole.place, {
          problem: 'Several conditions in one join.',
          hint: 'Write a list with one condition in each item: all of them must match.',
          edits: asList(whole),
        });
      }
      for (const written of analyzed.joins.written) {
        if (written.join !== undefined) continue;
        const { place, problem, hint } = faultOf(written);
        // What could not be read there has been reported.
        if (analysis.mistakes.some((mistake) => overlaps(mistake, place))) continue;
        report('wrong-join', place, { problem, hint });
      }
    },
  }),
);

interface Fault {
  readonly place: Place;
  readonly problem: string;
  readonly hint: string;
}

function overlaps(mistake: Place, { source, start, end }: Place): boolean {
  return mistake.source === source && mistake.start < end && mistake.end > start;
}

function textOf({ source, start, end }: Place): string {
  return source.text.slice(start, end);
}

/** What is wrong with a condition that is no join, and what to write instead. */
function faultOf({ condition, fulfillment }: WrittenJoin): Fault {
  const own = fulfillment.name.value;
  const { place } = condition;
  if (condition.kind === 'logical') {
    return {
      place,
      problem: "A join cannot have '||'.",
      hint: `Join in the SQL of one query, with ON ${textOf(place).replaceAll('==', '=').replaceAll('||', 'OR').replaceAll('&&', 'AND')}.`,
    };
  }
  if (condition.kind !== 'comparison') {
    const name = condition.kind === 'value' || condition.kind === 'result' ? condition.name : 'news';
    const side = condition.kind === 'value' && condition.path.length === 1 ? textOf(place) : `${name}.id`;
    return {
      place,
      problem: 'A join compares two fields.',
      hint: `Write, for example, ${side} == ${name === own ? '<fulfillment>' : own}.<field>.`,
    };
  }
  if (condition.operator !== '==') {
    return {
      place,
      problem: `A join compares with ==, not with ${condition.operator}.`,
      hint: 'Write ==, or compare in the SQL of the query, with WHERE.',
    };
  }
  const side = [condition.left, condition.right].find(isNotField) ?? condition;
  return {
    place: side.place,
    ...faultOfSide(side, side === condition.left ? condition.right : condition.left, own),
  };
}

function isNotField(side: Expression): boolean {
  return side.kind !== 'value' || side.path.length !== 1 || side.path[0]?.kind !== 'name';
}

function faultOfSide(side: Expression, other: Expression, own: string): Omit<Fault, 'place'> {
  const written = textOf(side.place);
  if (side.kind === 'result') {
    return { problem: `'${written}' is a whole result, not a field.`, hint: `Write a field: ${written}.id` };
  }
  if (side.kind === 'value') {
    const hint = `Select the value as a column of its own in the SQL of '${side.name}', and write ${side.name}.<column>.`;
    return { problem: `'${written}' is inside a column; a join compares columns.`, hint };
  }
  return {
    problem: `'${written}' is not a field of a fulfillment.`,
    hint: `Compare with it in the SQL of '${other.kind === 'value' ? other.name : own}': WHERE ${other.kind === 'value' && other.path[0]?.kind === 'name' ? other.path[0].name : 'id'} = :[${written}].`,
  };
}

/** The same conditions as a list; undefined where they are not written in one line without quotes. */
function asList({ value: condition, place }: Located<Expression>): Edit[] | undefined {
  const { source, scalar } = place;
  const conjuncts = conjunctsOf(condition);
  if (scalar?.style !== 'plain') return undefined;
  const written = source.text.slice(scalar.start, scalar.end);
  if (/[[\]{},#'"\n]/.test(written)) return undefined;
  const between = conjuncts.slice(1).map((next, index): { start: number; end: number } => ({
    start: conjuncts[index]?.place.end ?? 0,
    end: next.place.start,
  }));
  if (!between.every(({ start, end }) => /^\s*(?:&&?|and)\s*$/i.test(source.text.slice(start, end))))
    return undefined;
  const lineStart = source.text.lastIndexOf('\n', scalar.start - 1) + 1;
  const before = source.text.slice(lineStart, scalar.start);
  if (/^ *- +$/.test(before)) return between.map((edit) => ({ ...edit, text: `\n${before}` }));
  if (!/^ *(?:- +)?join: +$/.test(before)) return undefined;
  return [
    { start: scalar.start, end: scalar.start, text: '[' },
    ...between.map((edit) => ({ ...edit, text: ', ' })),
    { start: scalar.end, end: scalar.end, text: ']' },
  ];
}
