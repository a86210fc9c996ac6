/** Paths into parameters that are texts: only objects and lists of the API description, and what reference calls give, have parts. */
import type { Operation } from '../../config/config-model.js';
import { calledNames, walkOperation } from '../../config/walk.js';
import type { Param } from '../../expression/ast.js';
import { printExpression } from '../../expression/print-expression.js';
import { visit } from '../../expression/visit.js';
import { declaredSchemas } from '../../openapi/declared.js';
import { matchingEndpoint } from '../../openapi/match.js';
import type { ApiDescription } from '../../openapi/api-model.js';
import { branchesOf } from '../../openapi/schema-part.js';
import type { Rule } from '../rule.js';

export const pathIntoText: Rule = (config, report, description) => {
  const called = calledNames(config.operations);
  for (const operation of config.operations) {
    if (called.has(operation.name.value)) continue;
    walkOperation(operation, (expression) => {
      visit(expression, (node) => {
        if (node.kind !== 'param' || mayHaveParts(node, operation, description)) return;
        const { name, path, place } = node;
        const dotted = path.map((step) => (step.kind === 'name' ? `.${step.name}` : '')).join('');
        const other = { kind: 'param', name: name + dotted, path: [], place } as const;
        const instead =
          dotted === '' ? undefined : quotedB(printExpression(other, operation.syntax), other.name);
        report.add('path-into-text', place, { name, instead, isDeclared: description !== undefined });
      });
    });
  }
};

/** Syntax B has no other way to write a name with a dot. */
function quotedB(printed: string, name: string): string {
  return printed.startsWith('param') ? `param['${name}']` : printed;
}

/** A parameter that is given several times is a list, whatever is declared. */
function mayHaveParts(
  { name, path }: Param,
  { endpoint }: Operation,
  description: ApiDescription | undefined,
): boolean {
  if (path.length === 0) return true;
  const described = endpoint && description && matchingEndpoint(description, endpoint);
  const schemas = described === undefined ? [] : declaredSchemas(described, name);
  if (schemas.length === 0) return path[0]?.kind !== 'name';
  return schemas
    .flatMap(branchesOf)
    .some(({ types, properties, items }) =>
      types === undefined
        ? properties.size > 0 || items !== undefined
        : types.includes('object') || types.includes('array'),
    );
}
