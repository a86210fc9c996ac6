/** Finds values read by paths, for rules about missing fields. */
import type { Expression, Path } from '../../read/expression/ast.js';
import { spanBeside, type Span } from '../../read/source.js';
import type { ValueType } from '../types/value-type.js';
import type { Environment } from '../types/visible-values.js';

export interface Read {
  readonly type: ValueType;
  readonly path: Path;
}

/** The value and the path into it. */
export function readOf(node: Expression, environment: Environment): Read | undefined {
  switch (node.kind) {
    case 'value':
      return { type: environment.result(node.name).type, path: node.path };
    case 'element':
      return { type: environment.element.type, path: node.path };
    case 'param':
      return { type: environment.request.param(node.name), path: node.path };
    case 'body':
      return { type: environment.request.body, path: node.path };
    default:
      return undefined;
  }
}

/** The span of the name in the path; the whole expression if it is written in a different form. */
export function spanOfStep(node: Expression, name: string): Span {
  const { span } = node;
  const from = 'nameSpan' in node ? node.nameSpan.end : span.start;
  const found = span.source.text.slice(from, span.end).lastIndexOf(name);
  return found === -1 ? span : spanBeside(span, from + found, from + found + name.length, span.scalar);
}
