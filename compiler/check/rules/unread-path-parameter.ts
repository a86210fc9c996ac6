/** Parameters of a path that neither the operation nor one that it calls reads: mostly another name is read instead. */
import type { Operation } from '../../config/config-model.js';
import { walkOperation, withCalled } from '../../config/walk.js';
import { nearest } from '../../diagnostics/suggest.js';
import { visit } from '../../expression/visit.js';
import type { Rule } from '../rule.js';

export const unreadPathParameter: Rule = ({ operations }, report) => {
  // An expression that could not be read may be the one that reads it, or the operation that is called and not there.
  if (report.hasErrors) return;
  const byName = new Map(operations.map((operation) => [operation.name.value, operation]));
  for (const operation of operations) {
    const declared = operation.endpoint?.parameters ?? [];
    if (declared.length === 0) continue;
    const read = namesRead(operation, byName);
    const others = [...read].filter((name) => !declared.includes(name));
    for (const parameter of declared) {
      if (read.has(parameter)) continue;
      const meant = nearest(parameter, others) ?? others.find((name) => isEnding(name, parameter));
      const { syntax } = operation;
      report.add('unread-path-parameter', operation.name.place, { parameter, meant, syntax });
    }
  }
};

/** `id` of `orderId` or `order_id`. */
function isEnding(name: string, parameter: string): boolean {
  return parameter.toLowerCase().endsWith(name.toLowerCase());
}

/** The names that PARAM reads, in the operations that it calls too. */
function namesRead(operation: Operation, byName: ReadonlyMap<string, Operation>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const one of withCalled([operation], byName)) {
    walkOperation(one, (expression) => {
      visit(expression, (node) => {
        if (node.kind === 'param') names.add(node.name);
      });
    });
  }
  return names;
}
