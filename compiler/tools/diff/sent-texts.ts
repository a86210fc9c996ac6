/** Statements and requests of an operation as comparable lines, and the tables that it uses. */
import type { ExplainedStep } from '../explain/explained.js';
import { explainSteps } from '../explain/explain-steps.js';
import {
  printCallDelivery,
  printDelivery,
  printLimit,
  printLogin,
  printResponse,
  printRetry,
} from '../explain/print-explanation.js';
import { counted } from '../../read/diagnostics/quoted-list.js';
import type { ServiceView, ViewedOperation } from '../explain/service-view.js';

export interface SentTexts {
  readonly lines: readonly string[];
  /** Such as `shop.line` for a table of datasource shop, and names of third parties. */
  readonly reads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
}

export const nothingSent: SentTexts = { lines: [], reads: new Set(), writes: new Set() };

export function sentTexts(operation: ViewedOperation, view: ServiceView): SentTexts {
  const steps = explainSteps(operation, view);
  const all = flat(steps);
  const touched = (which: 'reads' | 'writes'): Set<string> =>
    new Set(
      all.flatMap((step) => {
        if (step.kind === 'requests')
          return (step.use === 'READ') === (which === 'reads') ? [step.datasource] : [];
        if (step.kind === 'messages') return which === 'writes' ? [step.datasource] : [];
        if (step.kind !== 'statements') return [];
        return step.statements.flatMap((statement) =>
          statement[which].map((table) => `${step.datasource}.${table}`),
        );
      }),
    );
  return {
    lines: [
      ...(operation.plan.transaction ? ['in one transaction'] : []),
      ...steps.flatMap((step) => linesOf(step)),
    ],
    reads: touched('reads'),
    writes: touched('writes'),
  };
}

function flat(steps: readonly ExplainedStep[]): ExplainedStep[] {
  return steps.flatMap((step) => [step, ...(step.kind === 'loop' ? flat(step.steps) : [])]);
}

function linesOf(step: ExplainedStep): string[] {
  const condition = step.condition === null ? '' : `, if ${step.condition}`;
  const end = step.continues ? ', continues after a failure' : '';
  const head = (text: string): string => `${step.fulfillment}: ${text}${condition}${end}`;
  switch (step.kind) {
    case 'statements':
      return [
        head(`${step.use} ${step.datasource}`),
        ...(step.context ?? []).map(({ name, value }) => `  context ${name} = ${value}`),
        ...step.statements.flatMap((statement) => [
          ...(statement.condition === null ? [] : [`  when ${statement.condition}`]),
          ...statement.sql.split(/\r\n|\r|\n/).map((line) => `  ${line}`.trimEnd()),
          ...statement.parameters.map(({ marker, value }) => `  ${marker} = ${value}`),
        ]),
      ];
    case 'requests':
      return [
        head(`${step.use} ${step.datasource}`),
        ...(step.oauth2 === undefined ? [] : [`  logs in by ${printLogin(step.oauth2)}`]),
        ...(step.limit === undefined ? [] : [`  limit ${printLimit(step.limit)}`]),
        ...step.requests.flatMap((request) => [
          ...(request.condition === null ? [] : [`  when ${request.condition}`]),
          `  ${request.method} ${request.url}`,
          ...request.header.map(({ name, value }) => `  ${name}: ${value}`),
          ...(request.body === null ? [] : [`  ${request.body}`]),
          ...(request.response === undefined ? [] : [`  its response is ${printResponse(request.response)}`]),
          ...(request.signed === null ? [] : [`  signed by the scheme ${request.signed}`]),
          ...(request.maxPages === null ? [] : [`  at most ${counted(request.maxPages, 'page')}`]),
          ...(request.retry === null ? [] : [`  retry ${printRetry(request.retry)}`]),
          ...(request.delivery === null ? [] : [`  sent ${printDelivery(request.delivery)}`]),
        ]),
      ];
    case 'messages':
      return [
        head(`message by ${step.datasource}`),
        ...step.messages.flatMap(({ condition: when, to, cc, replyTo, subject, text, html, delivery }) => [
          ...(when === null ? [] : [`  when ${when}`]),
          `  to ${to}`,
          ...(cc === null ? [] : [`  cc ${cc}`]),
          ...(replyTo === null ? [] : [`  reply to ${replyTo}`]),
          `  subject ${subject}`,
          ...[text, html ?? '']
            .join('\n')
            .trimEnd()
            .split(/\r\n|\r|\n/)
            .map((line) => `  ${line}`.trimEnd()),
          ...(delivery === null ? [] : [`  sent ${printDelivery(delivery)}`]),
        ]),
      ];
    case 'loop':
      return [head(`LOOP over ${step.over}`), ...step.steps.flatMap(linesOf).map((line) => `  ${line}`)];
    case 'call':
      return [
        head(`calls '${step.operation}'`),
        ...step.parameters.map(({ name, value }) => `  ${name} = ${value}`),
        ...(step.delivery === undefined ? [] : [`  after the commit, ${printCallDelivery(step.delivery)}`]),
      ];
    case 'code':
      return [
        head(`user code ${step.function}`),
        ...(step.input === null ? [] : [`  input ${step.input}`]),
        ...(step.returns === null ? [] : [`  returns ${step.returns}`]),
      ];
    case 'compute':
      return [head(`computes ${step.value}`)];
  }
}
