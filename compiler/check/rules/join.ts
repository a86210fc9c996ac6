/** Joins: of the form `a.x == b.y`, between two fulfillments of the operation, one of which it stands at (decisions 8.2). */
import type { DataFulfillment, Operation } from '../../config/config-model.js';
import { allFulfillments } from '../../config/walk.js';
import type { Report } from '../../diagnostics/report.js';
import { nearest } from '../../diagnostics/suggest.js';
import type { Expression } from '../../expression/ast.js';
import { contains } from '../../expression/visit.js';
import { joinsOf, readJoin, type Join } from '../../mapping/written-joins.js';
import type { Rule } from '../rule.js';

export const join: Rule = ({ operations }, report) => {
  for (const operation of operations) checkJoins(operation, report);
};

/** Reports what is wrong with the joins of the operation. */
export function checkJoins(operation: Operation, report: Report): void {
  const names = allFulfillments(operation.fulfillments).map(({ fulfillment }) => fulfillment.name.value);
  for (const { fulfillment } of allFulfillments(operation.fulfillments)) {
    if (fulfillment.type === 'READ' || fulfillment.type === 'UPDATE')
      checkFulfillment(fulfillment, names, report);
  }
  reportCircles(operation, report);
}

function checkFulfillment(fulfillment: DataFulfillment, names: readonly string[], report: Report): void {
  const { value: name } = fulfillment.name;
  for (const { value: condition, place } of fulfillment.join) {
    const found = readJoin(condition);
    if (found === undefined) {
      report.add('wrong-join', place, faultOf(condition));
      continue;
    }
    const { left, right } = found;
    const unknown = [left, right].filter((side) => !names.includes(side.fulfillment));
    for (const side of unknown) {
      const near = nearest(side.fulfillment, names);
      report.add('unknown-fulfillment', side.namePlace, { name: side.fulfillment, nearest: near, names });
    }
    if (unknown.length > 0) continue;
    if (left.fulfillment === right.fulfillment) report.add('self-join', place, { name: left.fulfillment });
    else if (name !== '' && left.fulfillment !== name && right.fulfillment !== name)
      report.add('foreign-join', place, { name, left: left.fulfillment, right: right.fulfillment });
  }
}

/** What is wrong with a condition that is no join, and what to write instead. */
function faultOf(condition: Expression): { problem: string; hint: string | undefined } {
  if (condition.kind === 'logical') {
    const hint =
      condition.operator === '&&'
        ? 'Write a list with one condition a line: an entry matches when all of them are true.'
        : undefined;
    return { problem: `, and this one has '${condition.operator}'`, hint };
  }
  if (condition.kind !== 'comparison') return { problem: '', hint: undefined };
  if (condition.operator !== '==')
    return {
      problem: `, and this one has '${condition.operator}'`,
      hint: 'A join finds entries with equal fields, written ==; any other comparison belongs into the SQL of the query.',
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

/** Tells each circle at the join that closes it. */
function reportCircles(operation: Operation, report: Report): void {
  const joins = joinsOf(operation).filter(({ left, right }) => left.fulfillment !== right.fulfillment);
  const done: Join[] = [];
  for (const closing of joins) {
    const back = pathBetween(closing.right.fulfillment, closing.left.fulfillment, done, new Set());
    if (back === undefined) done.push(closing);
    else report.add('join-cycle', closing.condition.place, { circle: [closing.left.fulfillment, ...back] });
  }
}

/** The way along the joins from one fulfillment to another. */
function pathBetween(
  from: string,
  to: string,
  joins: readonly Join[],
  seen: Set<string>,
): string[] | undefined {
  if (from === to) return [to];
  seen.add(from);
  for (const { left, right } of joins) {
    if (left.fulfillment !== from || seen.has(right.fulfillment)) continue;
    const path = pathBetween(right.fulfillment, to, joins, seen);
    if (path !== undefined) return [from, ...path];
  }
  return undefined;
}
