/** Endpoints that differ by a slash at the end or by letter case: two paths, of which one was hardly meant (decisions 9.2). */
import type { Operation } from '../../../read/config/config-model.js';
import { firstDefinedAt, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { position, type Span } from '../../../read/source.js';
import { ruleOfWhole } from '../rule.js';

export const nearDuplicateEndpoint = ruleOfWhole(
  {
    'near-duplicate-endpoint': warning((p: { name: string; line: number; by: string; first: Span }) => ({
      message: `This path differs from '${p.name}' (line ${p.line}) only by ${p.by}.`,
      hint: 'Remove one of the two. To serve both, write the second operation as an alias (&name, *name) of the first.',
      related: firstDefinedAt(p.first),
    })),
  },
  ({ analysis, report }) => {
    const seen = new Map<string, Operation[]>();
    return {
      operation: (operation, { analyzed }) => {
        const { endpoint, name } = operation;
        // What the API description has too is meant.
        if (endpoint === undefined || (analysis.description && analyzed.endpoint)) return;
        const { method, path } = endpoint;
        const shape = `${method} ${shapeOf(path).toLowerCase().replace(/\/$/, '')}`;
        const others = seen.get(shape) ?? [];
        const other = others.find(
          (one) => shapeOf(one.endpoint?.path ?? '') !== shapeOf(path) && !isSameText(one, operation),
        );
        seen.set(shape, [...others, operation]);
        if (other === undefined) return;
        const { source, start } = other.name.span;
        const isSlash = path.endsWith('/') !== other.endpoint?.path.endsWith('/');
        report('near-duplicate-endpoint', name.span, {
          ...{ name: other.name.value, line: position(source, start).line },
          by: isSlash ? "the '/' at the end" : 'letter case',
          first: other.name.span,
        });
      },
    };
  },
);

function shapeOf(path: string): string {
  return path.replaceAll(/\{[^{}]*\}/g, '{}');
}

/** Whether both are the same part of the file, by an alias. */
function isSameText(one: Operation, other: Operation): boolean {
  const [first] = one.fulfillments;
  return first !== undefined && first.name.span.start === other.fulfillments[0]?.name.span.start;
}
