/** An `index` that is the same in every iteration: each result replaces the one before (decisions 3.8). */
import type { Expression, Syntax } from '../../../read/expression/ast.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const constantIndex = rule(
  {
    'constant-index': warning((p: { name: string; example: string | undefined }) => ({
      message: `This index is the same in every iteration, so only the last result of '${p.name}' is kept.`,
      hint: `Write a value that differs in each iteration${p.example === undefined ? '' : `, such as ${p.example}`}.`,
    })),
    'unread-index': warning((p: { name: string }) => ({
      message: `Nothing reads '${p.name}' by its index.`,
      hint: `Read it with VALUE_BY_INDEX(${p.name}, <index>, $), or remove 'index'.`,
    })),
  },
  ({ report, hasErrors }) => {
    const found: (() => void)[] = [];
    let reads: { readonly name: string; readonly index: Expression }[] = [];
    return {
      operation: () => {
        reads = [];
      },
      'value-by-index': (node) => {
        reads.push(node);
      },
      operationEnd: ({ syntax }, { analyzed }) => {
        for (const { fulfillment, loop } of analyzed.fulfillments) {
          const { index, name } = fulfillment;
          if (index === undefined || fulfillment.type === 'LOOP') continue;
          const own = reads.filter((read) => read.name === name.value);
          const code = own.length === 0 ? 'unread-index' : 'constant-index';
          // Who reads by a constant means the last one.
          const isMeant = !isConstant(index) || own.every((read) => isConstant(read.index));
          if (code === 'constant-index' && isMeant) continue;
          found.push(() => {
            const example = loop && exampleIn(loop.name.value, syntax);
            report(code, index.span, { name: name.value, example });
          });
        }
      },
      end: () => {
        // What could not be read may be what reads it.
        if (!hasErrors()) for (const reportIt of found) reportIt();
      },
    };
  },
);

/** The field of a loop's element that most have. */
function exampleIn(loop: string, syntax: Syntax): string {
  return syntax === 'A' ? `VALUE(${loop}, $.id)` : `${loop}.id`;
}

function isConstant({ kind }: Expression): boolean {
  return kind === 'text' || kind === 'number' || kind === 'boolean';
}
