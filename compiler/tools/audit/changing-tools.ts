/** Tools of MCP clients that change something: a model decides when they are called. */
import type { ServiceView } from '../explain/service-view.js';
import type { Risk } from './risk.js';
import { changingSteps } from './what-changes.js';

export function changingTools(view: ServiceView): Risk[] {
  return view.operations.flatMap((operation): Risk[] => {
    const { tool, name } = operation.checked.operation;
    const [first] = tool === undefined ? [] : changingSteps(operation, view);
    if (tool?.name === undefined || first === undefined) return [];
    const what = first.kind === 'database' ? 'a database' : 'a third party';
    return [
      {
        rule: 'changing-tool',
        severity: 'low',
        span: tool.span,
        message: `Models can change ${what} with the tool '${tool.name.value}' ('${name.value}').`,
        hint: 'Make sure that a wrong call can be undone, and that its callers have scopes of their own: texts of strangers can make a model call it.',
      },
    ];
  });
}
