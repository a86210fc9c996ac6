/** Parameters of a path that neither the operation nor one that it calls reads: mostly another name is read instead. */
import type { Operation } from '../../../read/config/config-model.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import { partOf, type ScalarText } from '../../../read/source.js';
import { rule } from '../rule.js';

export const unreadPathParameter = rule(
  {
    'unread-path-parameter': warning(
      (p: { parameter: string; meant: string | undefined; syntax: 'A' | 'B' }) => {
        const written = (name: string): string => (p.syntax === 'A' ? `PARAM(${name})` : `param.${name}`);
        return {
          message: `The path parameter '${p.parameter}' is never read.`,
          hint: `Read ${written(p.parameter)}${p.meant === undefined ? '' : ` instead of ${written(p.meant)}`}, or remove it from the path.`,
        };
      },
    ),
  },
  ({ analysis, report, hasErrors }) => {
    const read = new Map<Operation, Set<string>>();
    return {
      operation: (operation) => {
        read.set(operation, new Set());
      },
      statement: ({ pieces }, { operation }) => {
        // What YAML has cut off the SQL has been reported.
        for (const [name = ''] of cutOff(pieces.text).matchAll(/\w+/g)) read.get(operation)?.add(name);
      },
      param: ({ name }, { operation }) => {
        read.get(operation)?.add(name);
      },
      end: () => {
        // An expression that could not be read may be the one that reads it, or the operation that is called and not there.
        if (hasErrors()) return;
        for (const operation of analysis.config.operations) {
          const declared = operation.endpoint?.parameters ?? [];
          const all = [...analysis.withCalled(operation)].flatMap((one) => [...(read.get(one) ?? [])]);
          const others = all.filter((name) => !declared.includes(name));
          for (const parameter of declared) {
            if (all.includes(parameter)) continue;
            const meant = nearest(parameter, others) ?? others.find((name) => isEnding(name, parameter));
            const { syntax } = operation;
            const span = partOf(operation.name.span, `{${parameter}}`);
            report('unread-path-parameter', span, { parameter, meant, syntax });
          }
        }
      },
    };
  },
);

/** The comment behind SQL on one line. */
function cutOff({ span: { source, end } }: ScalarText): string {
  return /^[ \t]+#[^\r\n]*/.exec(source.text.slice(end, end + 500))?.[0] ?? '';
}

/** `id` of `orderId` or `order_id`. */
function isEnding(name: string, parameter: string): boolean {
  return parameter.toLowerCase().endsWith(name.toLowerCase());
}
