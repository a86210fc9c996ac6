/** Finds schemas of an API description that contain themselves. */
import type { Report } from '../diagnostics/report.js';
import type { ApiSchema } from './api-model.js';
import type { SchemaNotes } from './schema-draft.js';

/** Reports schemas that contain themselves other than in a property or an element: no value could ever be valid. */
export function reportCycles(
  schemas: Iterable<ApiSchema>,
  { references }: Pick<SchemaNotes, 'references'>,
  report: Report,
): void {
  const done = new Set<ApiSchema>();
  const open = new Set<ApiSchema>();
  /** How high the stack was when each of them was opened. */
  const opened: { readonly height: number; readonly schema: ApiSchema }[] = [];
  // With a stack of its own, since parts may hold parts without end; a schema is met again behind its parts.
  const stack: ApiSchema[] = [...schemas].reverse();
  for (let schema = stack.pop(); schema !== undefined; schema = stack.pop()) {
    if (open.has(schema) && stack.length === opened.at(-1)?.height) {
      opened.pop();
      open.delete(schema);
    } else if (open.has(schema)) {
      const around = opened.at(-1)?.schema;
      const span = around && references.get(around)?.get(schema);
      report.add('cyclic-reference', span ?? schema.span, {
        reference: schema.model,
        isSchema: true,
      });
    } else if (!done.has(schema)) {
      done.add(schema);
      open.add(schema);
      opened.push({ height: stack.length, schema });
      const { allOf, anyOf, oneOf, not } = schema;
      const parts = [...allOf, ...anyOf, ...oneOf, ...(not === undefined ? [] : [not])];
      stack.push(schema, ...parts.reverse());
    }
  }
}
