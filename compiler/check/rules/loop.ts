/** `loopbreak`, `index`, `concurrency` and VALUE_BY_INDEX where they mean something (specification, Loop; decisions 3.8, 7.4, 7.5). */
import type { Fulfillment, Operation } from '../../config/config-model.js';
import { allFulfillments, walkOperation } from '../../config/walk.js';
import type { Report } from '../../diagnostics/report.js';
import { visit } from '../../expression/visit.js';
import type { Rule } from '../rule.js';

export const loop: Rule = ({ operations }, report) => {
  for (const operation of operations) {
    const all = allFulfillments(operation.fulfillments);
    for (const { fulfillment, loop: around } of all) checkFields(fulfillment, around, report);
    checkIndexes(
      operation,
      // Of several with one name the one that stores results.
      new Map(
        [...all]
          .sort(
            (a, b) => Number(a.fulfillment.fields.has('index')) - Number(b.fulfillment.fields.has('index')),
          )
          .map(({ fulfillment }) => [fulfillment.name.value, fulfillment]),
      ),
      report,
    );
  }
};

function checkFields(fulfillment: Fulfillment, around: Fulfillment | undefined, report: Report): void {
  const { fields, type } = fulfillment;
  const [loopbreak, index, concurrency] = ['loopbreak', 'index', 'concurrency'].map((field) =>
    fields.get(field),
  );
  if (type === 'LOOP') {
    if (index !== undefined) report.add('index-of-loop', index);
    const breaks = fulfillment.fulfillments.some(
      (inside) => inside.type !== 'LOOP' && inside.loopbreak.length > 0,
    );
    if (concurrency !== undefined && fulfillment.concurrency > 1 && (loopbreak !== undefined || breaks)) {
      report.add('concurrency-with-loopbreak', concurrency);
    }
    return;
  }
  if (around !== undefined) return;
  if (loopbreak !== undefined) report.add('loopbreak-outside-loop', loopbreak);
  if (index !== undefined) report.add('index-outside-loop', index);
}

function checkIndexes(
  operation: Operation,
  fulfillments: ReadonlyMap<string, Fulfillment>,
  report: Report,
): void {
  walkOperation(operation, (expression) => {
    visit(expression, (node) => {
      if (node.kind !== 'value-by-index') return;
      const { name, namePlace } = node;
      const fulfillment = fulfillments.get(name);
      if (fulfillment !== undefined && !fulfillment.fields.has('index')) {
        report.add('value-by-index-without-index', namePlace, { name });
      }
    });
  });
}
