/** Paths into parameters that are strings: only objects and lists of the API description, and arguments of reference calls, have parts. */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Param } from '../../../read/expression/ast.js';
import { printExpression } from '../../../read/expression/print-expression.js';
import type { ApiEndpoint } from '../../../read/openapi/api-model.js';
import { declaredSchemas } from '../../../read/openapi/declared.js';
import { branchesOf } from '../../../read/openapi/schema-part.js';
import { rule } from '../rule.js';

export const pathIntoText = rule(
  {
    'path-into-text': error((p: { name: string; instead: string | undefined; isDeclared: boolean }) => ({
      message: `The parameter '${p.name}' is a string, which has no fields.`,
      hint: `${p.isDeclared ? `Declare '${p.name}'` : `Write an API description that declares '${p.name}'`} with the type object or array${p.instead === undefined ? '' : `; for a parameter whose name has a dot write ${p.instead}`}.`,
    })),
  },
  ({ analysis, report }) => ({
    param: (node, { operation, analyzed: { endpoint } }) => {
      if (analysis.called.has(operation.name.value) || mayHaveParts(node, endpoint)) return;
      const { name, path, span } = node;
      const dotted = path.map((step) => (step.kind === 'name' ? `.${step.name}` : '')).join('');
      const other = { kind: 'param', name: name + dotted, path: [], span } as const;
      const instead =
        dotted === '' ? undefined : quotedB(printExpression(other, operation.syntax), other.name);
      report('path-into-text', span, { name, instead, isDeclared: analysis.description !== undefined });
    },
  }),
);

/** Syntax B has no other way to write a name with a dot. */
function quotedB(printed: string, name: string): string {
  return printed.startsWith('param') ? `param['${name}']` : printed;
}

/** A parameter that is passed several times is a list, even if it is declared otherwise. */
function mayHaveParts({ name, path }: Param, endpoint: ApiEndpoint | undefined): boolean {
  if (path.length === 0) return true;
  const schemas = endpoint === undefined ? [] : declaredSchemas(endpoint, name);
  if (schemas.length === 0) return path[0]?.kind !== 'name';
  return schemas
    .flatMap(branchesOf)
    .some(({ types, properties, items }) =>
      types === undefined
        ? properties.size > 0 || items !== undefined
        : types.includes('object') || types.includes('array'),
    );
}
