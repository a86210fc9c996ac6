/** The steps of an operation, in order. */
import { asThirdParty, type Datasource } from '../../read/config/config-model.js';
import type { Expression, Syntax } from '../../read/expression/ast.js';
import { printExpression } from '../../read/expression/print-expression.js';
import type { ExceptionPlan, ReferenceStep, StepPlan } from '../../generate/plan/operation-plan.js';
import { position } from '../../read/source.js';
import { explainMessage, explainRequest, explainStatement } from './explain-statement.js';
import type { ExplainedException, ExplainedStep } from './explained.js';
import { viewedSteps, type ServiceView, type ViewedOperation, type ViewedStep } from './service-view.js';
import { writtenField, writtenSchema, writtenTemplate, writtenViolation } from './written-form.js';

export function explainSteps(operation: ViewedOperation, view: ServiceView): ExplainedStep[] {
  const { plan, checked } = operation;
  return viewedSteps(plan.steps, checked.fulfillments).map((step) => explainStep(step, operation, view));
}

function explainStep(viewed: ViewedStep, operation: ViewedOperation, view: ServiceView): ExplainedStep {
  const { syntax } = operation.plan;
  const base = baseOf(viewed, syntax);
  switch (viewed.kind) {
    case 'data':
      return { ...base, ...explainData(viewed, operation, view) };
    case 'loop': {
      const { step, checked } = viewed;
      return {
        ...base,
        kind: 'loop',
        over: printExpression(step.loop, syntax),
        concurrency: step.concurrency,
        steps: viewedSteps(step.steps, checked.fulfillments).map((inside) =>
          explainStep(inside, operation, view),
        ),
      };
    }
    case 'reference':
      return { ...base, kind: 'call', ...explainCall(viewed.step, syntax) };
    case 'deferred': {
      const { step, checked } = viewed;
      const { claims, isSealed, times = null, within = longestDelivery } = step;
      const outbox = checked.outbox.name.value;
      const delivery = { outbox, encrypted: isSealed, claims, times, within };
      return { ...base, kind: 'call', ...explainCall(step, syntax), delivery };
    }
    case 'code': {
      const { input } = viewed.step;
      const { returns } = viewed.checked.written;
      return {
        ...base,
        kind: 'code',
        function: viewed.step.function,
        input: input === undefined ? null : writtenSchema(input, syntax),
        returns:
          returns === undefined
            ? null
            : returns.kind === 'schema'
              ? 'a JSON schema'
              : `${returns.name}${returns.isList ? '[]' : ''}`,
      };
    }
    case 'compute':
      return { ...base, kind: 'compute', value: writtenSchema(viewed.step.schema, syntax) };
  }
}

/** Seconds after which a stored call has failed in any case. */
const longestDelivery = 3 * 86_400;

function explainCall(
  { called, parameters, body }: Pick<ReferenceStep, 'called' | 'parameters' | 'body'>,
  syntax: Syntax,
): Pick<Extract<ExplainedStep, { kind: 'call' }>, 'operation' | 'parameters'> {
  const all = [...parameters, ...(body === undefined ? [] : [{ name: 'body', value: body }])];
  return {
    operation: called.name,
    parameters: all.map(({ name, value }) => ({ name, value: writtenField(name, value, syntax) })),
  };
}

type Base = Pick<
  ExplainedStep,
  'fulfillment' | 'line' | 'condition' | 'exceptions' | 'loopbreak' | 'index' | 'continues'
>;

function baseOf(
  { step, checked }: { readonly step: StepPlan; readonly checked: ViewedStep['checked'] },
  syntax: Syntax,
): Base {
  const { fulfillment, condition, exceptions, loopbreak, index } = step;
  const print = (expression: Expression): string => printExpression(expression, syntax);
  const { source, start } = checked.written.name.span;
  return {
    fulfillment,
    line: position(source, start).line,
    condition: condition === undefined ? null : print(condition),
    exceptions: explainExceptions(exceptions, syntax),
    loopbreak: loopbreak.map(print),
    continues: 'continues' in step && step.continues,
    index: index === undefined ? null : print(index),
  };
}

export function explainExceptions(
  exceptions: readonly ExceptionPlan[],
  syntax: Syntax,
): ExplainedException[] {
  return exceptions.map(({ condition, constraint, statuscode, message }) => ({
    condition: condition === undefined ? writtenViolation(constraint) : printExpression(condition, syntax),
    ...(constraint === undefined ? {} : { constraint }),
    status: statuscode,
    message: writtenTemplate(message, syntax),
  }));
}

type Requests = Extract<ExplainedStep, { kind: 'requests' }>;

type Data =
  | Omit<Extract<ExplainedStep, { kind: 'statements' }>, keyof Base>
  | Omit<Extract<ExplainedStep, { kind: 'messages' }>, keyof Base>
  | Omit<Requests, keyof Base>;

/** Undefined if statements have no context. */
function explainContext(datasource: Datasource): { name: string; value: string }[] | undefined {
  if (datasource.type !== 'db') return undefined;
  const { context, role } = datasource;
  const settings = context.flatMap(({ name, value, syntax }) =>
    value === undefined ? [] : [{ name: name.value, value: printExpression(value, syntax) }],
  );
  const all = [...settings, ...(role === undefined ? [] : [{ name: 'role', value: role.value }])];
  return all.length === 0 ? undefined : all;
}

/** Login and rate limit of a third party; empty if it has neither. */
function explainIdentity(datasource: Datasource): Pick<Requests, 'oauth2' | 'limit'> {
  const { oauth2, limit } = asThirdParty(datasource) ?? {};
  const { perSecond, atOnce } = limit ?? {};
  return {
    ...(oauth2 === undefined ? {} : { oauth2: oauth2.scope?.value ?? '' }),
    ...(limit === undefined
      ? {}
      : {
          limit: {
            ...(perSecond === undefined ? {} : { perSecond }),
            ...(atOnce === undefined ? {} : { atOnce }),
          },
        }),
  };
}

function explainData(
  { step, checked }: ViewedStep & { kind: 'data' },
  operation: ViewedOperation,
  view: ServiceView,
): Data {
  const use = checked.written.type;
  const datasource = checked.datasource.name.value;
  const { dialect } = checked.datasource;
  const pairs = step.choices.map((choice, index) => ({
    choice,
    instruction: checked.instructions[index]?.action,
  }));
  if (checked.datasource.type === 'smtp') {
    const messages = step.choices.flatMap(({ condition, action }) =>
      action.kind === 'message' ? [explainMessage({ condition, action }, operation.plan.syntax, view)] : [],
    );
    return { kind: 'messages', datasource, messages };
  }
  if (dialect === undefined) {
    const requests = pairs.flatMap(({ choice, instruction }) =>
      choice.action.kind === 'request' && instruction?.kind === 'request'
        ? [explainRequest({ choice, action: choice.action, instruction }, operation.plan.syntax, view)]
        : [],
    );
    return { kind: 'requests', use, datasource, ...explainIdentity(checked.datasource), requests };
  }
  const statements = pairs.flatMap(({ choice, instruction }) =>
    choice.action.kind === 'statement' && instruction?.kind === 'statement'
      ? [
          explainStatement(
            { choice, action: choice.action, statement: instruction.statement },
            operation,
            view,
          ),
        ]
      : [],
  );
  const database = dialect === 'postgresql' ? 'PostgreSQL' : 'MySQL/MariaDB';
  const context = explainContext(checked.datasource);
  return { kind: 'statements', use, datasource, database, ...(context && { context }), statements };
}
