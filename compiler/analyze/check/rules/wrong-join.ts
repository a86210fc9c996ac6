/** Joins that are not of the form `a.x == b.y` (decisions 8.2). */
import type { WrittenJoin } from '../../operations/validate-joins.js';
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Edit } from '../../../read/diagnostics/fix.js';
import type { Expression } from '../../../read/expression/ast.js';
import { conjunctsOf } from '../../mapping/written-joins.js';
import type { WithSpan, Span } from '../../../read/source.js';
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
        report('wrong-join', whole.span, {
          problem: 'Several conditions in one join.',
          hint: 'Write a list with one condition in each item: all of them must match.',
          edits: asList(whole),
        });
      }
      for (const written of analyzed.joins.written) {
        if (written.join !== undefined) continue;
        const { span, problem, hint } = problemOf(written);
        // What could not be read there has been reported.
        if (analysis.errorSpans.some((errorSpan) => overlaps(errorSpan, span))) continue;
        report('wrong-join', span, { problem, hint });
      }
    },
  }),
);

interface JoinProblem {
  readonly span: Span;
  readonly problem: string;
  readonly hint: string;
}

function overlaps(errorSpan: Span, { source, start, end }: Span): boolean {
  return errorSpan.source === source && errorSpan.start < end && errorSpan.end > start;
}

function textOf({ source, start, end }: Span): string {
  return source.text.slice(start, end);
}

/** The problem of a condition that is not a join, and what to write instead. */
function problemOf({ condition, fulfillment }: WrittenJoin): JoinProblem {
  const own = fulfillment.name.value;
  const { span } = condition;
  if (condition.kind === 'logical') {
    return {
      span,
      problem: "A join cannot have '||'.",
      hint: `Join in the SQL of one query, with ON ${textOf(span).replaceAll('==', '=').replaceAll('||', 'OR').replaceAll('&&', 'AND')}.`,
    };
  }
  if (condition.kind !== 'comparison') {
    const name = condition.kind === 'value' || condition.kind === 'result' ? condition.name : 'news';
    const side = condition.kind === 'value' && condition.path.length === 1 ? textOf(span) : `${name}.id`;
    return {
      span,
      problem: 'A join compares two fields.',
      hint: `Write, for example, ${side} == ${name === own ? '<fulfillment>' : own}.<field>.`,
    };
  }
  if (condition.operator !== '==') {
    return {
      span,
      problem: `A join compares with ==, not with ${condition.operator}.`,
      hint: 'Write ==, or compare in the SQL of the query, with WHERE.',
    };
  }
  const side = [condition.left, condition.right].find(isNotField) ?? condition;
  return {
    span: side.span,
    ...problemOfSide(side, side === condition.left ? condition.right : condition.left, own),
  };
}

function isNotField(side: Expression): boolean {
  return side.kind !== 'value' || side.path.length !== 1 || side.path[0]?.kind !== 'name';
}

function problemOfSide(side: Expression, other: Expression, own: string): Omit<JoinProblem, 'span'> {
  const written = textOf(side.span);
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
function asList({ value: condition, span }: WithSpan<Expression>): Edit[] | undefined {
  const { source, scalar } = span;
  const conjuncts = conjunctsOf(condition);
  if (scalar?.style !== 'plain') return undefined;
  const written = source.text.slice(scalar.start, scalar.end);
  if (/[[\]{},#'"\n]/.test(written)) return undefined;
  const between = conjuncts.slice(1).map((next, index): { start: number; end: number } => ({
    start: conjuncts[index]?.span.end ?? 0,
    end: next.span.start,
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
