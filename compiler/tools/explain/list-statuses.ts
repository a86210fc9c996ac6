/** The status if a loop, a `list` or LIST gets an invalid value: 400 if the value comes from the request, otherwise 500. */
import type { Operation, Schema } from '../../read/config/config-model.js';
import { allFulfillments, nodesOf } from '../../read/config/walk.js';
import type { Expression } from '../../read/expression/ast.js';
import { isParameter, readsRequest } from '../../read/expression/visit.js';
import { typeOf } from '../../analyze/types/infer.js';
import type { Kind } from '../../analyze/types/value-type.js';
import type { ViewedOperation } from './service-view.js';
import type { Statuses } from './status-reasons.js';

/** Adds the statuses of invalid values of loops, lists, counts, passwords and functions. */
export function addOfExpressions({ checked }: ViewedOperation, all: Statuses): void {
  const { operation, analyzed } = checked;
  for (const { list, where } of listsOf(operation)) {
    if (isParameter(list)) continue;
    const environment = analyzed.flow.environments.get(list);
    const kinds = environment === undefined ? undefined : typeOf(list, environment).kinds;
    if (kinds === undefined || [...kinds].every((kind) => iterable.has(kind))) continue;
    all.service(readsRequest(list) ? 400 : 500, 'a single value where a list is expected', where);
  }
  const nodes = nodesOf(operation);
  if (nodes.some(({ kind }) => kind === 'hash' || kind === 'verify')) {
    all.service(
      400,
      'a password of more than 1,024 bytes or with a NUL; for HASH also one that is not a string',
    );
    all.service(503, 'more passwords at a time than the threads for hashes can compute');
  }
  if (nodes.some(({ kind }) => kind === 'token'))
    all.service(500, 'claims without a sub, or a token of more than 8 KiB');
  const calls = nodes.filter((node) => node.kind === 'code');
  if (calls.length > 0) {
    const names = [...new Set(calls.map((node) => node.function))].join(', ');
    all.service(
      500,
      `a function that throws, gets or returns another type; with fail(…), it sends other statuses: ${names}`,
    );
  }
  if (calls.some(({ input }) => input.some(readsRequest)))
    all.service(400, 'a value of another type for a function');
  for (const node of nodes)
    if (node.kind === 'list' && node.count.kind !== 'number')
      all.service(
        readsRequest(node.count) ? 400 : 500,
        'a count of LIST that is not a whole number from 0 to LOOP_LIMIT',
      );
}

/** Kinds of values accepted by LOOP and `list`. */
const iterable: ReadonlySet<Kind> = new Set(['array', 'object', 'null']);

interface NamedList {
  readonly list: Expression;
  /** The fulfillment or response that contains the list. */
  readonly where: string;
}

/** The lists of all loops, and of `list` in schemas. */
function listsOf({ fulfillments, responses }: Operation): NamedList[] {
  const inFulfillments = allFulfillments(fulfillments).flatMap(({ fulfillment }): NamedList[] => {
    const where = fulfillment.name.value;
    switch (fulfillment.type) {
      case 'LOOP':
        return fulfillment.loop === undefined ? [] : [{ list: fulfillment.loop, where }];
      case 'REFERENCE':
      case 'DEFERRED':
        return fulfillment.parameters.flatMap(({ value }) => listsIn(value, where));
      case 'CODE':
        return listsIn(fulfillment.input, where);
      case 'COMPUTE':
        return listsIn(fulfillment.schema, where);
      case 'READ':
      case 'UPDATE':
        return fulfillment.instructions.flatMap(({ action }) =>
          action !== undefined && 'body' in action ? listsIn(action.body, where) : [],
        );
    }
  });
  return [...inFulfillments, ...responses.flatMap(({ name, schema }) => listsIn(schema, name.value))];
}

function listsIn(schema: Schema | undefined, where: string): NamedList[] {
  switch (schema?.kind) {
    case 'array':
      return [{ list: schema.list, where }, ...listsIn(schema.item, where)];
    case 'object':
      return schema.fields.flatMap(({ value }) => listsIn(value, where));
    case 'leaf':
    case undefined:
      return [];
  }
}
