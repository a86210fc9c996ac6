/** The value of a mapped field: an expression, or a column of all rows of a fulfillment. */
import type { Expression } from '../../read/expression/ast.js';
import type { ApiSchema } from '../../read/openapi/api-model.js';
import { isBuiltFrom, modelName, type BodyContext, type BodyScope } from './body-context.js';
import type { Body } from './body-parts.js';
import { checkJoin } from './check-body-joins.js';
import { columnOf, namesRead } from './entries.js';
import { nodesIn } from '../../read/expression/visit.js';

export function mappedValue(
  expression: Expression,
  schema: ApiSchema,
  context: BodyContext,
  scope: BodyScope,
): Body {
  const { rows, report } = scope;
  const { levels, span } = context;
  const [inner] = levels;
  const isAround = (name: string): boolean => levels.some(({ first }) => first.row.fulfillment === name);
  const models = [undefined, modelName(context.subjects.at(-1))] as const;
  const column = columnOf(expression, schema);
  if (column !== undefined && !isAround(column.name)) {
    const of = rows.find(column.name, levels, span);
    checkJoin(of, { ...context, span: expression.span }, models, scope, true);
    return { kind: 'column', of, path: column.path, value: expression };
  }
  const reads = namesRead(expression).map((name) => rows.find(name, levels, span));
  for (const read of reads) {
    const isField = expression.kind === 'value' && expression.path[0]?.kind === 'name';
    if (isField) checkJoin(read, { ...context, span: expression.span }, models, scope, false);
  }
  for (const node of nodesIn(expression)) {
    const isList = node.kind === 'result' || (node.kind === 'value' && node.path[0]?.kind !== 'name');
    if (isList && inner !== undefined && !isBuiltFrom(inner, node.name) && isAround(node.name))
      report.add('list-around', node.span, { name: node.name, inner: inner.first.row.fulfillment });
  }
  return { kind: 'value', value: expression, reads };
}
