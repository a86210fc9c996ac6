/** `@` outside of an item, where there is no current element (decisions 7.3). */
import type { AnalyzedOperation } from '../../operations/analyzed-operation.js';
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { printSteps } from '../../../read/expression/parse/path.js';
import type { Span } from '../../../read/source.js';
import { rule } from '../rule.js';

export const elementOutsideItem = rule(
  {
    'element-outside-item': error((p: { read: string | undefined; list: string }) => ({
      message: "'@' is only allowed inside a loop or under 'item'.",
      hint:
        p.read === undefined
          ? `For each element of a list write 'list: ${p.list}' and 'item:', and read '@' under 'item'.`
          : `Write ${p.read} to read a result; for each of its rows write 'list: ${p.list}' and read '@' under 'item'.`,
      // One key that is missing or misspelt makes all of them wrong.
      subject: '@',
    })),
  },
  ({ report }) => ({
    element: ({ span, path }, { scope, operation: { syntax }, analyzed }) => {
      if (scope.hasElement) return;
      const name = likelySource(span, analyzed);
      const steps = printSteps(path);
      report('element-outside-item', span, {
        read:
          name === undefined ? undefined : syntax === 'A' ? `VALUE(${name}, $${steps})` : `${name}${steps}`,
        list: syntax === 'A' ? `VALUE(${name ?? 'news'}, $)` : (name ?? 'news'),
      });
    },
  }),
);

/** The last fulfillment before it: probably its rows are meant. */
function likelySource({ start }: Span, { fulfillments }: AnalyzedOperation): string | undefined {
  const before = fulfillments.filter(({ fulfillment }) => fulfillment.name.span.start < start);
  const last =
    before.findLast(({ fulfillment }) => fulfillment.type === 'READ') ??
    before.findLast(({ fulfillment }) => fulfillment.type !== 'LOOP');
  return last?.fulfillment.name.value;
}
