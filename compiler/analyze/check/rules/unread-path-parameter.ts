/** Parameters of a path that neither the operation nor one that it calls reads, and names that are read instead of one of them. */
import type { Operation } from '../../../read/config/config-model.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import { partOf, type ScalarText } from '../../../read/source.js';
import type { Param } from '../../../read/expression/ast.js';
import { printExpression } from '../../../read/expression/print-expression.js';
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
    'near-path-parameter': warning((p: { written: string; parameter: string; instead: string }) => ({
      message: `${p.written} is not in the path, which has '{${p.parameter}}': it is null unless the URL has a query parameter of that name.`,
      hint: `Write ${p.instead}.`,
      instead: p.instead,
      isSuggestion: true,
    })),
  },
  ({ analysis, report, hasErrors }) => {
    const read = new Map<Operation, Set<string>>();
    const near: { readonly operation: Operation; readonly parameter: string; reportIt: () => void }[] = [];
    return {
      operation: (operation) => {
        read.set(operation, new Set());
      },
      statement: ({ pieces }, { operation }) => {
        // What YAML has cut off the SQL has been reported.
        for (const [name = ''] of cutOff(pieces.text).matchAll(/\w+/g)) read.get(operation)?.add(name);
      },
      param: (node, { operation, analyzed: { endpoint } }) => {
        const { name } = node;
        read.get(operation)?.add(name);
        // A caller may pass it, and an API description says what there is.
        const isOpen = endpoint === undefined && !analysis.called.has(operation.name.value);
        const parameter = isOpen ? meantInPath(name, operation) : undefined;
        if (parameter === undefined || node.path.length > 0) return;
        const print = (one: Param): string => printExpression(one, operation.syntax);
        const instead = print({ ...node, name: parameter });
        near.push({
          ...{ operation, parameter },
          reportIt: () => {
            report('near-path-parameter', node.span, { written: print(node), parameter, instead });
          },
        });
      },
      end: () => {
        // An expression that could not be read may be the one that reads it, or the operation that is called and not there.
        if (hasErrors()) return;
        for (const operation of analysis.config.operations) {
          const declared = operation.endpoint?.parameters ?? [];
          const all = [...analysis.withCalled(operation)].flatMap((one) => [...(read.get(one) ?? [])]);
          // Where the parameter of the path is not read, the message about it names the other.
          for (const one of near)
            if (one.operation === operation && all.includes(one.parameter)) one.reportIt();
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

/** `{id}` of `/orders/{id}` for `orderId`, `order_id` and `ID`; `{orderId}` of `/orders/{orderId}` for `id` and `order_id`. */
function meantInPath(name: string, { endpoint, name: { value } }: Operation): string | undefined {
  const declared = endpoint?.parameters ?? [];
  if (declared.includes(name)) return undefined;
  return declared.find((parameter) => {
    const before = value.split(`/{${parameter}}`, 1)[0]?.split('/').at(-1) ?? '';
    const of = plain(before).replace(/s$/, '');
    return (
      plain(name) === plain(parameter) ||
      plain(name) === of + plain(parameter) ||
      of + plain(name) === plain(parameter)
    );
  });
}

/** `order_Id`: orderid. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}
