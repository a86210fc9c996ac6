/** Loops over rows whose READs would be sent together, but for an `if` (tool.md: loops of reads cost one round trip, or a warning). */
import type { Fulfillment, LoopFulfillment } from '../../../read/config/config-model.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Expression } from '../../../read/expression/ast.js';
import { rule } from '../rule.js';

export const queryPerRow = rule(
  {
    'query-per-row': warning((p: { name: string; rows: string; column: string }) => ({
      message: `One query for each row of '${p.rows}': the 'if' of '${p.name}' keeps them from being sent together.`,
      hint: `Move the condition into the SQL of '${p.name}', or read all its rows before the loop with IN (:[VALUE(${p.rows}, $[*].${p.column})]).`,
    })),
  },
  ({ analysis, report }) => {
    const isRead = (fulfillment: Fulfillment): boolean =>
      fulfillment.type === 'READ' &&
      analysis.datasource(fulfillment.datasource.value)?.dialect === 'postgresql' &&
      fulfillment.instructions.every(
        ({ action }) => action !== undefined && !('kind' in action) && action.retry,
      );
    const isPlain = ({ fulfillments, concurrency, loopbreak }: LoopFulfillment): boolean =>
      concurrency === 1 &&
      loopbreak.length === 0 &&
      fulfillments.every((inside) => isRead(inside) && inside.loopbreak.length === 0);
    return {
      fulfillment: (fulfillment, { analyzed }) => {
        if (fulfillment.type !== 'LOOP' || !isPlain(fulfillment)) return;
        const { loop } = fulfillment;
        if (loop?.kind !== 'value' || loop.path.length > 0) return;
        const rows = loop.name;
        const isOfRows = analyzed.fulfillments.some(
          (one) => one.fulfillment.name.value === rows && isRead(one.fulfillment),
        );
        const conditional = fulfillment.fulfillments.find((inside) => inside.if !== undefined);
        const span = conditional?.fields.get('if');
        if (isOfRows && conditional !== undefined && span !== undefined)
          report('query-per-row', span, {
            ...{ name: conditional.name.value, rows },
            column: columnOf(conditional.if) ?? '<column>',
          });
      },
    };
  },
);

/** The column that the condition reads first, as Syntax A writes it. */
function columnOf(condition: Expression | undefined): string | undefined {
  if (condition === undefined) return undefined;
  const { source, start, end } = condition.span;
  return /\$\.(\w{1,80})/.exec(source.text.slice(start, end))?.[1];
}
