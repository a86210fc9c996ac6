/** Expressions that read a fulfillment which is not there, has not run yet, or runs in a loop around which they stand. */
import type { Fulfillment, Operation } from '../../config/config-model.js';
import type { Report } from '../../diagnostics/report.js';
import { nearest } from '../../diagnostics/suggest.js';
import { fixOf } from '../../diagnostics/fix.js';
import type { Expression } from '../../expression/ast.js';
import { printSteps } from '../../expression/path.js';
import type { Place } from '../../source.js';
import { visit } from '../../expression/visit.js';
import type { Rule } from '../rule.js';
import { allFulfillments, walkOperation, type Scope } from '../../config/walk.js';

export const unknownFulfillment: Rule = ({ operations }, report) => {
  for (const operation of operations) checkOperation(operation, report);
};

function checkOperation(operation: Operation, report: Report): void {
  const all = allFulfillments(operation.fulfillments);
  const loops = new Map(all.map(({ fulfillment, loop }) => [fulfillment.name.value, loop]));
  const check = (node: Expression, scope: Scope): void => {
    if (node.kind === 'element' && !scope.hasElement) report.add('element-outside-item', node.place);
    if (!('namePlace' in node)) return;
    const { name, namePlace } = node;
    // A name that could not be read has been reported; a place that could not be read may hold a name that is meant here.
    if (name === '' || scope.visible.has(name) || (loops.has('') && !loops.has(name))) return;
    if (!loops.has(name)) {
      report.add('unknown-fulfillment', placeOfName(node, name, namePlace), {
        name,
        nearest: nearest(name, loops.keys()),
        names: [...loops.keys()],
        // An anchor stands before its aliases, so what comes from one stands before the operation.
        operation: namePlace.start < operation.name.place.start ? operation.name.value : undefined,
        asString: operation.syntax === 'B' && node.kind === 'result' ? `"'${name}'"` : undefined,
        meant: meantInstead(node, name, operation, [...loops.keys()]),
      });
      return;
    }
    if (node.kind === 'value-by-index') return;
    // Of several with that name the one in a loop around.
    const isAround = (one: Fulfillment | undefined): boolean =>
      one === undefined || scope.loops.get(one.name.value) === one;
    const near = all.find(({ fulfillment, loop }) => fulfillment.name.value === name && isAround(loop));
    const loop = loops.get(name);
    if (near === undefined && loop !== undefined) {
      report.add('outside-loop', namePlace, { name, loop: loop.name.value });
    } else {
      const isOwn = name === scope.running;
      report.add(isOwn ? 'own-result' : 'not-yet-run', namePlace, { name });
    }
  };
  walkOperation(operation, (expression, scope) => {
    visit(expression, (node) => {
      check(node, scope);
    });
  });
}

const wholeRequest = new Set(['BODY', 'PARAM']);

/** Where more than the name is to be written anew, all of it. */
function placeOfName(node: Expression, name: string, namePlace: Place): Place {
  if (node.kind === 'value' && wholeRequest.has(name)) return node.place;
  const { scalar } = node.place;
  const isQuoted = node.kind === 'result' && scalar !== undefined && scalar.style !== 'plain';
  return isQuoted && scalar.end - scalar.start <= name.length + 2
    ? { ...node.place, start: scalar.start, end: scalar.end }
    : namePlace;
}

/** What somebody means who reads the request, or writes a text, as if it were a fulfillment. */
function meantInstead(
  node: Expression,
  name: string,
  { syntax }: Operation,
  names: readonly string[],
): { instead: string; what: string } | undefined {
  if (nearest(name, names) !== undefined) return undefined;
  if (syntax === 'A') {
    if (node.kind !== 'value' || !wholeRequest.has(name)) return undefined;
    const [first, ...rest] = node.path;
    if (name === 'BODY')
      return { instead: `BODY($${printSteps(node.path)})`, what: 'the body of the request' };
    if (first?.kind !== 'name' || rest.length > 0) return undefined;
    return { instead: `PARAM(${first.name})`, what: 'a parameter of the request' };
  }
  if (node.kind === 'value' && /^(?:params?|parameters?|query|path|headers?|args?)$/i.test(name))
    return { instead: 'param', what: 'a parameter of the request' };
  if (node.kind === 'value' && /^(?:request|req|payload|json)$/i.test(name))
    return { instead: 'body', what: 'the body of the request' };
  const { scalar, start, end } = node.place;
  const isQuoted = scalar !== undefined && scalar.style !== 'plain';
  if (node.kind !== 'result' || !isQuoted || scalar.start + 1 < start || scalar.end > end + 1)
    return undefined;
  const whole = { ...node.place, start: scalar.start, end: scalar.end };
  return {
    instead: fixOf(whole, `'${name}'`)?.text ?? `'${name}'`,
    what: 'a text: YAML takes the outer quotes away',
  };
}
