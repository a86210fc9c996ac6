/** Checks LOOP, `index` and `loopbreak`, and values read from a loop. */
import type { Fulfillment, LoopFulfillment } from '../../../read/config/config-model.js';
import { error, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { words } from '../../../read/diagnostics/marks.js';
import type { Expression } from '../../../read/expression/ast.js';
import { rule } from '../rule.js';
import { isStatement } from '../../../read/config/walk.js';

/** Reports `index` on a LOOP, which does not have a result. */
export const indexOfLoop = rule(
  {
    'index-of-loop': error(() => ({
      message: "'index' is not allowed on a LOOP: it has no result.",
      hint: "Move 'index' to the fulfillment inside the loop whose result you read later.",
    })),
  },
  ({ report }) => ({
    fulfillment: ({ type, fields }) => {
      const span = fields.get('index');
      if (type === 'LOOP' && span !== undefined) report('index-of-loop', span);
    },
  }),
);

/** Reports `index` outside of a loop. */
export const indexOutsideLoop = rule(
  {
    'index-outside-loop': error({ read: 'text' }, (p: { read: string }) => ({
      message: "'index' is only allowed inside a loop.",
      hint: `Remove 'index', and read the result with ${p.read}.`,
    })),
  },
  ({ report }) => ({
    fulfillment: ({ type, fields, name }, { loop, operation: { syntax } }) => {
      const span = fields.get('index');
      if (type === 'LOOP' || loop !== undefined || span === undefined) return;
      report('index-outside-loop', span, {
        read: syntax === 'A' ? `VALUE(${name.value}, $)` : name.value,
      });
    },
  }),
);

/** Reports an `index` that is the same in every iteration, so that each result replaces the previous one. */
export const constantIndex = rule(
  {
    'constant-index': warning({ name: 'text', example: 'word' }, (p: { name: string; example: string }) => ({
      message: `This index is the same in every iteration, so only the last result of '${p.name}' is kept.`,
      hint: `Write a value that differs in each iteration, such as ${p.example}.`,
    })),
    'unread-index': warning({ name: 'text' }, (p: { name: string }) => ({
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
      node: (node) => {
        if ('nameSpan' in node && 'index' in node) reads.push(node);
      },
      operationEnd: (_, { analyzed }) => {
        for (const { fulfillment, loop } of analyzed.fulfillments) {
          const { index, name } = fulfillment;
          // Outside of a LOOP, `index` has its own diagnostic.
          if (index === undefined || loop === undefined || fulfillment.type === 'LOOP') continue;
          const own = reads.filter((read) => read.name === name.value);
          const code = own.length === 0 ? 'unread-index' : 'constant-index';
          // If all reads use a constant, the last result is intended.
          const isMeant = !isConstant(index) || own.every((read) => isConstant(read.index));
          if (code === 'constant-index' && isMeant) continue;
          // The field that most elements have.
          const example = `VALUE(${loop.name.value}, $.id)`;
          found.push(() => {
            report(code, index.span, { name: name.value, example });
          });
        }
      },
      end: () => {
        // An unreadable expression may read the results.
        if (!hasErrors()) for (const reportIt of found) reportIt();
      },
    };
  },
);

function isConstant({ kind }: Expression): boolean {
  return kind === 'text' || kind === 'number' || kind === 'boolean';
}

/** VALUE_BY_INDEX, STATUS_BY_INDEX and FAILURE_BY_INDEX of a fulfillment without `index`. */
export const valueByIndexWithoutIndex = rule(
  {
    'value-by-index-without-index': error(
      { name: 'text', read: words('VALUE_BY_INDEX', 'STATUS_BY_INDEX', 'FAILURE_BY_INDEX') },
      (p: { name: string; read: ReadByIndex }) => ({
        message: `Fulfillment '${p.name}' has no 'index' for ${p.read} to read.`,
        hint: `Give '${p.name}' an 'index' inside its loop.`,
      }),
    ),
  },
  ({ report }) => {
    /** The names of the operation's fulfillments that store results by index. */
    let stored = new Set<string>();
    return {
      operation: (_, { analyzed }) => {
        const all = analyzed.fulfillments.map(({ fulfillment }) => fulfillment);
        stored = new Set(all.filter(({ fields }) => fields.has('index')).map(({ name }) => name.value));
      },
      node: (node, { analyzed }) => {
        if (!('nameSpan' in node) || !('index' in node)) return;
        const { name, nameSpan, kind } = node;
        if (analyzed.loopsByName.has(name) && !stored.has(name))
          report('value-by-index-without-index', nameSpan, { name, read: readByIndex[kind] });
      },
    };
  },
);

/** The functions that read what an index stores, by the kind of their expressions. */
const readByIndex = {
  'value-by-index': 'VALUE_BY_INDEX',
  'status-by-index': 'STATUS_BY_INDEX',
  'failure-by-index': 'FAILURE_BY_INDEX',
} as const satisfies Partial<Record<Expression['kind'], string>>;

type ReadByIndex = (typeof readByIndex)[keyof typeof readByIndex];

/** `loopbreak` without a loop to stop. */
export const loopbreakOutsideLoop = rule(
  {
    'loopbreak-outside-loop': error(() => ({
      message: "'loopbreak' is only allowed inside a loop or on a LOOP.",
      hint: 'Move it to a fulfillment inside a LOOP, or to the LOOP itself.',
    })),
  },
  ({ report }) => ({
    fulfillment: ({ type, fields }, { loop, operation: { syntax } }) => {
      const span = fields.get('loopbreak');
      // Syntax B does not have this field, which is reported elsewhere.
      if (syntax === 'B' || type === 'LOOP' || loop !== undefined || span === undefined) return;
      report('loopbreak-outside-loop', span);
    },
  }),
);

/** Reports `concurrency` on a loop with a `loopbreak`. */
export const concurrencyWithLoopbreak = rule(
  {
    'concurrency-with-loopbreak': error(() => ({
      message:
        "A loop with 'loopbreak' runs one iteration after the other: 'concurrency' cannot be used with it.",
      hint: "Remove 'concurrency'. If every iteration is to run, remove 'loopbreak' instead.",
    })),
  },
  ({ report }) => ({
    fulfillment: (loop) => {
      const span = loop.fields.get('concurrency');
      if (loop.type !== 'LOOP' || span === undefined || loop.concurrency <= 1) return;
      const breaks = loop.fulfillments.some(
        (inside) => inside.type !== 'LOOP' && inside.loopbreak.length > 0,
      );
      if (loop.fields.has('loopbreak') || breaks) report('concurrency-with-loopbreak', span);
    },
  }),
);

/** Reports expressions outside of a loop that read a fulfillment inside it. */
export const outsideLoop = rule(
  {
    'outside-loop': error(
      { name: 'text', loop: 'text', read: words('VALUE', 'STATUS', 'FAILURE') },
      (p: { name: string; loop: string; read: 'VALUE' | 'STATUS' | 'FAILURE' }) => ({
        message: `The ${p.read === 'VALUE' ? 'result' : p.read} of '${p.name}' is not available outside the loop '${p.loop}'.`,
        hint: `Give '${p.name}' an 'index' and read it with ${p.read}_BY_INDEX(${p.name}, <index>${p.read === 'VALUE' ? ', $' : ''}).`,
      }),
    ),
  },
  ({ report }) => ({
    unreadable: (unreadable, { kind }) => {
      if (unreadable.why !== 'outside loop') return;
      const { name, loop, span } = unreadable;
      const read = kind === 'status' ? 'STATUS' : kind === 'failure' ? 'FAILURE' : 'VALUE';
      report('outside-loop', span, { name, loop, read });
    },
  }),
);

/** Reports VALUE of a LOOP after its end: a loop has an element while it runs, but no result. */
export const resultOfLoop = rule(
  {
    'result-of-loop': error(
      { name: 'text', inside: 'text' },
      (p: { name: string; inside: string | undefined; hasIndex: boolean }) => {
        const read = `VALUE_BY_INDEX(${p.inside ?? ''}, <index>, $)`;
        return {
          message: `This is always null: the LOOP '${p.name}' has no result.`,
          hint:
            p.inside === undefined
              ? 'Read the list that it runs over.'
              : `${p.hasIndex ? `Read ${read}` : `Give '${p.inside}' an 'index' and read ${read}`}, or read the list that the LOOP runs over.`,
        };
      },
    ),
  },
  ({ report }) => ({
    value: ({ name, nameSpan }, { scope }) => {
      const fulfillment = scope.visible.get(name);
      if (fulfillment?.type !== 'LOOP' || scope.loops.has(name)) return;
      const inside = fulfillment.fulfillments.find(({ type }) => type !== 'LOOP');
      const hasIndex = inside?.index !== undefined;
      report('result-of-loop', nameSpan, { name, inside: inside?.name.value, hasIndex });
    },
  }),
);

/** Reports loops over rows whose READs could be sent together except for an `if`, and therefore cost one round trip each. */
export const queryPerRow = rule(
  {
    'query-per-row': warning(
      { name: 'text', rows: 'text', column: 'text' },
      (p: { name: string; rows: string; column: string }) => ({
        message: `One query for each row of '${p.rows}': the 'if' of '${p.name}' keeps them from being sent together.`,
        hint: `Move the condition into the SQL of '${p.name}', or read all its rows before the loop with IN (:[VALUE(${p.rows}, $[*].${p.column})]).`,
      }),
    ),
  },
  ({ analysis, report }) => {
    const isRead = (fulfillment: Fulfillment): boolean =>
      fulfillment.type === 'READ' &&
      analysis.datasource(fulfillment.datasource.value)?.dialect === 'postgresql' &&
      fulfillment.instructions.every(({ action }) => isStatement(action) && action.retry);
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
        if (isOfRows && conditional?.if !== undefined && span !== undefined)
          report('query-per-row', span, {
            ...{ name: conditional.name.value, rows },
            column: columnOf(conditional.if) ?? '<column>',
          });
      },
    };
  },
);

/** The first column that the condition reads, in Syntax A. */
function columnOf({ span: { source, start, end } }: Expression): string | undefined {
  return /\$\.(\w{1,80})/.exec(source.text.slice(start, end))?.[1];
}
