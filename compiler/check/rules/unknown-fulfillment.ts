/** Expressions that read a fulfillment which is not there, has not run yet, or runs in a loop around which they stand. */
import type { Fulfillment, Operation } from '../../config/model.js';
import type { Report } from '../../diagnostics/report.js';
import { nearest } from '../../diagnostics/suggest.js';
import type { Expression } from '../../expression/ast.js';
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
      report.add('unknown-fulfillment', namePlace, {
        name,
        nearest: nearest(name, loops.keys()),
        names: [...loops.keys()],
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
