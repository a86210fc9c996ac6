/** Instructions behind one without a condition (specification, Instruction: the first that matches is executed). */
import { reachedInstructions } from '../../../read/config/walk.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { position, type Span } from '../../../read/source.js';
import { rule } from '../rule.js';

export const unreachableInstruction = rule(
  {
    'unreachable-instruction': warning((p: { what: string; behind: Span; count: number }) => ({
      message: `${p.count === 1 ? `This ${p.what} is` : `This ${p.what} and those below it are`} never reached: the one in line ${position(p.behind.source, p.behind.start).line} has no 'if'.`,
      hint: `Give that one an 'if', or move it to the end.`,
    })),
  },
  ({ report, hasErrors }) => {
    const found: (() => void)[] = [];
    return {
      fulfillment: (fulfillment, { operation }) => {
        if (fulfillment.type !== 'READ' && fulfillment.type !== 'UPDATE') return;
        const reached = reachedInstructions(fulfillment);
        const [first, ...others] = fulfillment.instructions.slice(reached.length);
        const last = reached.at(-1);
        if (first === undefined || last === undefined) return;
        found.push(() => {
          report('unreachable-instruction', first.span, {
            what: operation.syntax === 'A' ? 'instruction' : 'query',
            behind: last.span,
            count: others.length + 1,
          });
        });
      },
      end: () => {
        // A condition that could not be read is one.
        if (!hasErrors()) for (const reportIt of found) reportIt();
      },
    };
  },
);
