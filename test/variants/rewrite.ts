/** Other forms of an operation: steps become called operations, and joined rows become rows of a loop. */
import { mapExpr, type Expr, type Operation, type Schema, type Step } from './operation.js';

/** The joined rows are read in a loop, stored by index, and combined in the schema. */
export function withLoops(operation: Operation): Operation {
  return {
    ...operation,
    steps: operation.steps.map((step) => (step.does === 'children' ? loopOf(step.name, step.of) : step)),
    responses: operation.responses.map((response) =>
      response.schema?.is === 'nested' ? { ...response, schema: listOf(response.schema) } : response,
    ),
  };
}

function loopOf(name: string, of: string): Step {
  const id: Expr = { is: 'value', name: 'each', path: ['id'] };
  const inner: Step = {
    ...{ name, does: 'read', index: id, exceptions: [] },
    choices: [{ statement: { does: 'children', values: [id] } }],
  };
  const list: Expr = { is: 'value', name: of, path: [] };
  return { name: 'each', does: 'loop', list, steps: [inner], isParallel: true, exceptions: [] };
}

function listOf({ parents, children }: Extract<Schema, { is: 'nested' }>): Schema {
  const leaf = (value: Expr): Schema => ({ is: 'leaf', value });
  const field = (name: string): [string, Schema] => [name, leaf({ is: 'element', path: [name] })];
  const index: Expr = { is: 'element', path: ['id'] };
  const stored: Expr = { is: 'stored', name: children, index, path: [] };
  const item: Schema = { is: 'object', fields: [field('title'), field('weight')] };
  const inner: [string, Schema][] = [
    ['count', leaf({ is: 'size', of: stored })],
    ['parts', { is: 'list', list: stored, item }],
  ];
  return {
    ...{ is: 'list', list: { is: 'value', name: parents, path: [] } },
    item: { is: 'object', fields: [field('id'), field('name'), field('note'), ...inner] },
  };
}

/** Turns each step into a called operation if possible; values that it reads from other steps are passed as parameters. */
export function asCalls(operation: Operation): Operation {
  const whole = JSON.stringify(operation);
  return { ...operation, steps: operation.steps.map((step) => asCall(step, whole)) };
}

function asCall(step: Step, whole: string): Step {
  if (step.does === 'loop') return { ...step, steps: step.steps.map((one) => asCall(one, whole)) };
  if (step.does !== 'read' && step.does !== 'change' && step.does !== 'request') return step;
  // The status or failure of a request is not part of a response body.
  const isRead = ['status', 'failure', 'kind'].some((is) =>
    whole.includes(`{"is":"${is}","name":"${step.name}"}`),
  );
  if (step.does === 'request' && (isRead || step.onFailure === true)) return step;
  // A stored result would have to be passed as a whole, not by the index of an item in the body.
  if (step.does === 'request' && JSON.stringify(step.body ?? null).includes('"is":"stored"')) return step;
  const passed: [string, Schema][] = [];
  const pass = (value: Expr): Expr => {
    const name = `p${passed.length}`;
    passed.push([name, { is: 'leaf', value }]);
    return { is: 'param', name };
  };
  const { name, if: condition, index, loopbreak, exceptions, ...rest } = step;
  const called: Operation = {
    ...{ method: 'GET', exceptions: [] },
    steps: [mapStep({ ...rest, name, exceptions: [] }, (expr, isItem) => passOthers(expr, isItem, pass))],
    responses: [{ status: 200, schema: { is: 'leaf', value: { is: 'value', name, path: [] } } }],
  };
  return {
    ...{ name, does: 'call', operation: called, parameters: passed, exceptions },
    ...(condition === undefined ? {} : { if: condition }),
    ...(index === undefined ? {} : { index }),
    ...(loopbreak === undefined ? {} : { loopbreak }),
  };
}

/** The called operation has access to the request, but to nothing else of its caller. */
function passOthers(expr: Expr, isItem: boolean, pass: (expr: Expr) => Expr): Expr {
  return mapExpr(expr, (part) => {
    const isOther =
      'name' in part && !['param', 'query', 'header'].includes(part.is)
        ? true
        : part.is === 'element' && !isItem;
    return isOther ? pass(part) : undefined;
  });
}

/** The expressions of a READ, an UPDATE or a request; `isItem` for expressions with a separate element. */
function mapStep(step: Step, map: (expr: Expr, isItem: boolean) => Expr): Step {
  const plain = (expr: Expr): Expr => map(expr, false);
  const schema = (one: Schema, isItem: boolean): Schema => {
    switch (one.is) {
      case 'leaf':
        return { ...one, value: map(one.value, isItem) };
      case 'object':
        return { ...one, fields: one.fields.map(([name, field]) => [name, schema(field, isItem)]) };
      case 'list':
        return { ...one, list: map(one.list, isItem), item: schema(one.item, true) };
      case 'nested':
        return one;
    }
  };
  const template = (parts: readonly (string | Expr)[]): (string | Expr)[] =>
    parts.map((part) => (typeof part === 'string' ? part : plain(part)));
  if (step.does === 'read' || step.does === 'change')
    return {
      ...step,
      choices: step.choices.map(({ if: condition, statement }) => ({
        ...(condition === undefined ? {} : { if: plain(condition) }),
        statement: { ...statement, values: statement.values.map(plain) },
      })),
    };
  if (step.does !== 'request') return step;
  return {
    ...step,
    url: template(step.url),
    ...(step.header === undefined ? {} : { header: template(step.header) }),
    ...(step.body === undefined ? {} : { body: schema(step.body, false) }),
  };
}
