/** BODY in an operation whose requests are forms: their fields are parameters. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Syntax } from '../../../read/expression/ast.js';
import { rule } from '../rule.js';

export const bodyOfForm = rule(
  {
    'body-of-form': warning((p: { instead: string }) => ({
      message: 'This is null: the API description declares a form, whose fields are parameters.',
      hint: `Write ${p.instead} for a field of the form. If clients send JSON, describe the body as application/json.`,
    })),
  },
  ({ analysis, report }) => {
    const reported = new Set<string>();
    return {
      body: ({ span, path }, { operation: { name, syntax }, analyzed }) => {
        const body = analyzed.endpoint?.body;
        if (body?.form === undefined || body.json !== undefined) return;
        if (analysis.called.has(name.value) || reported.has(name.value)) return;
        reported.add(name.value);
        const first = path[0]?.kind === 'name' ? path[0].name : undefined;
        report('body-of-form', span, { instead: readOf(first, syntax) });
      },
    };
  },
);

/** How a parameter is read; any one where the whole body was. */
function readOf(name: string | undefined, syntax: Syntax): string {
  if (name === undefined) return `a parameter, such as ${readOf('id', syntax)},`;
  return syntax === 'A' ? `PARAM(${name})` : `param.${name}`;
}
