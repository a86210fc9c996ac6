/** `PARAM(x-tenant)` in a statement: meant is a header, which a query parameter of that name replaces. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Operation } from '../../../read/config/config-model.js';
import { referencesOf } from '../../../read/config/walk.js';
import type { Expression } from '../../../read/expression/ast.js';
import { printExpression } from '../../../read/expression/print-expression.js';
import { visit } from '../../../read/expression/visit.js';
import { declaredNames } from '../../../read/openapi/declared.js';
import type { ApiDescription, ApiEndpoint } from '../../../read/openapi/api-model.js';
import { rule } from '../rule.js';
import { isCommonHeader } from './unknown-parameter.js';

export const headerOrQuery = rule(
  {
    'header-or-query': warning((p: { written: string; name: string; header: string; query: string }) => ({
      message: `${p.written} reads the query before the headers: with ?${p.name}=… a client decides what this statement gets, whatever the header says.`,
      hint: `Write ${p.header} or ${p.query}, which read nothing else; or declare the parameter in the API description.`,
      instead: p.header,
      isSuggestion: true,
    })),
  },
  ({ analysis, report }) => {
    const { description, called, config } = analysis;
    const endpoints = new Map(analysis.operations.map((one) => [one.operation, one.endpoint]));
    const callers = new Map<string, Operation[]>();
    for (const operation of config.operations)
      for (const { operationName } of referencesOf(operation))
        callers.set(operationName.value, [...(callers.get(operationName.value) ?? []), operation]);

    /** Whether no request decides between places: the path, the API description or the caller says which value it is. */
    const isGiven = (operation: Operation, name: string, seen = new Set<Operation>()): boolean => {
      if (seen.has(operation)) return true;
      seen.add(operation);
      const path = operation.endpoint?.parameters;
      const isOwn =
        path === undefined || path.includes(name) || isDeclared(name, endpoints.get(operation), description);
      return (
        isOwn &&
        (callers.get(operation.name.value) ?? []).every(
          (caller) => passes(caller, operation, name) || isGiven(caller, name, seen),
        )
      );
    };
    return {
      statement: ({ bindings }, { operation, analyzed: { endpoint } }) => {
        for (const binding of bindings)
          visit(binding, (node) => {
            if (node.kind !== 'param' || node.path.length > 0 || !isLikeHeader.test(node.name)) return;
            // `unknown-parameter` says it.
            const isTold =
              endpoint !== undefined && !called.has(operation.name.value) && !isCommonHeader(node.name);
            if (isTold || isGiven(operation, node.name)) return;
            const print = (expression: Expression): string => printExpression(expression, operation.syntax);
            const { name, span } = node;
            report('header-or-query', span, {
              ...{ written: print(node), name },
              header: print({ kind: 'sent', place: 'header', name, span }),
              query: print({ kind: 'sent', place: 'query', name, span }),
            });
          });
      },
    };
  },
);

/** `x-user`, `tenant-id`: no language but that of HTTP writes its names in this way. */
const isLikeHeader = /^[a-z]\w*(?:-\w+)+$/i;

function isDeclared(
  name: string,
  endpoint: ApiEndpoint | undefined,
  description: ApiDescription | undefined,
): boolean {
  if (endpoint === undefined || description === undefined) return false;
  return (
    declaredNames(endpoint, description)?.some((one) => one.toLowerCase() === name.toLowerCase()) ?? true
  );
}

/** Whether every call of the operation by the caller has a value for the parameter. */
function passes(caller: Operation, { name: { value: called } }: Operation, name: string): boolean {
  return referencesOf(caller).every(
    ({ operationName, parameters }) =>
      operationName.value !== called || parameters.some((one) => one.name.value === name),
  );
}
