/** Parameters by which requests choose the order and page of a list. */
import type { ListPage, Operation } from '../../read/config/config-model.js';
import { allFulfillments } from '../../read/config/walk.js';
import type { Expression } from '../../read/expression/ast.js';
import type { JsonMap } from '../../read/json.js';

/** Schemas by query parameter name. Includes only parameters that are used as the complete value. */
export function listParameters(
  operation: Operation,
  called: readonly Operation[],
): ReadonlyMap<string, JsonMap> {
  const found = new Map<string, JsonMap>();
  for (const one of [operation, ...called])
    for (const { fulfillment } of allFulfillments(one.fulfillments)) {
      if (!('order' in fulfillment)) continue;
      const { order, page } = fulfillment;
      const add = (value: Expression | undefined, schema: JsonMap): void => {
        const name = parameterOf(value, one === operation);
        if (name !== undefined && !found.has(name)) found.set(name, schema);
      };
      if (order?.default !== undefined)
        add(order.by, {
          ...{ type: 'string', enum: order.allow.map(({ name }) => name.value) },
          default: order.default.value,
        });
      if (page === undefined) continue;
      add(page.limit, { ...numberFrom(1, page.max, page), default: page.max });
      add(page.after, { type: 'string', description: 'The next-page token of the previous page.' });
      const { maxOffset } = page;
      add(page.number, { ...numberFrom(1, maxOffset + 1, page), default: 1 });
      add(page.offset, { ...numberFrom(0, maxOffset, page), default: 0 });
    }
  return found;
}

/** The schema of a page number or offset. With `invalid: clamp`, every value is valid. */
function numberFrom(minimum: number, maximum: number, { isClamped }: ListPage): JsonMap {
  return isClamped ? {} : { type: 'integer', minimum, maximum };
}

/** The query parameter that an expression reads. In a called operation, PARAM may also read a value passed by the call. */
export function parameterOf(value: Expression | undefined, isOwn: boolean): string | undefined {
  if (value?.kind === 'sent' && value.place === 'query') return value.name;
  return isOwn && value?.kind === 'param' && value.path.length === 0 ? value.name : undefined;
}
