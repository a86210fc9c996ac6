/** Two operations with the same method and the same path shape (decisions 9.2). */
import type { Operation } from '../../../read/config/config-model.js';
import { isWrittenEndpoint } from '../../../read/config/operation-name.js';
import { error, firstDefinedAt } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { position, type Span } from '../../../read/source.js';
import { ruleOfWhole } from '../rule.js';

export const duplicateEndpoint = ruleOfWhole(
  {
    'duplicate-endpoint': error((p: { name: string; other: string; line: number; first: Span }) => ({
      message: `'${p.name}' and '${p.other}' (line ${p.line}) are the same endpoint.`,
      hint: 'Remove one of the two. The names of path parameters do not matter.',
      related: firstDefinedAt(p.first),
    })),
  },
  ({ report }) => {
    const seen = new Map<string, Operation>();
    return {
      operation: (operation) => {
        const { name, endpoint } = operation;
        if (endpoint === undefined || !isWrittenEndpoint(name.value, endpoint)) return;
        const { method, path } = endpoint;
        const shape = `${method} ${path.replaceAll(/\{[^{}]*\}/g, '{}')}`;
        const other = seen.get(shape);
        if (other === undefined) {
          seen.set(shape, operation);
          return;
        }
        // The same key twice in one map has been reported as that.
        if (name.value === other.name.value) return;
        const { source, start } = other.name.span;
        const line = position(source, start).line;
        report('duplicate-endpoint', name.span, {
          ...{ name: name.value, other: other.name.value, line },
          first: other.name.span,
        });
      },
    };
  },
);
