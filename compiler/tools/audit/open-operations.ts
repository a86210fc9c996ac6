/** Operations that anyone may call, and the test page. */
import type { ServiceView, ViewedOperation } from '../explain/service-view.js';
import type { Risk } from './risk.js';
import { changingSteps } from './what-changes.js';

/** Open operations in a service with protected ones. If nothing is protected, a single risk for all operations that change data. */
export function openOperations(view: ServiceView): Risk[] {
  const endpoints = view.operations.filter(({ plan }) => plan.endpoint !== undefined);
  const changes = (operation: ViewedOperation): boolean => changingSteps(operation, view).length > 0;
  if (view.plan.authentications.length === 0) {
    const writing = endpoints.filter(changes);
    const [first] = writing;
    if (first === undefined) return [];
    return [
      {
        rule: 'no-authentication',
        severity: 'medium',
        span: first.checked.operation.name.span,
        message: `No endpoint asks for credentials, and ${writing.length} of ${endpoints.length} ${writing.length === 1 ? 'changes' : 'change'} something.`,
        hint: "Write 'authentications', or make sure that only a gateway that authenticates its callers can reach this service.",
      },
    ];
  }
  return endpoints.flatMap((operation): Risk | [] => {
    const { name, fields, limits } = operation.checked.operation;
    if (view.plan.access.get(name.value)?.length !== 0) return [];
    const isWriting = changes(operation);
    return {
      rule: isWriting ? 'open-write' : 'open-read',
      severity: isWriting && limits.length === 0 ? 'high' : 'low',
      span: fields.get('authentications') ?? name.span,
      message: `'${name.value}' asks for no credentials${isWriting ? ', and changes something' : ''}; other operations ask for them.`,
      hint: "Remove 'authentications: []' if it is not meant for everyone.",
    };
  });
}

/** `debug: true` is compiled in, regardless of the environment. */
export function testPage({ analysis: { config } }: ServiceView): Risk[] {
  const span = config.settings.fields.get('debug');
  if (!config.settings.debug || span === undefined) return [];
  return [
    {
      rule: 'debug-on',
      severity: 'medium',
      span,
      message: 'The test page /docs-ui and the traces of calls are open to anyone.',
      hint: "Remove 'debug: true' from the configuration that is built for production.",
    },
  ];
}
