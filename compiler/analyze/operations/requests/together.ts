/** `together`: the requests to third parties that are sent at the same time, and what separates the others. */
import type { DataFulfillment, Fulfillment, Operation, Request } from '../../../read/config/config-model.js';
import { nodesOf, reachedInstructions } from '../../../read/config/walk.js';

/** The reason why a request is not sent together with the one before it. */
export type Separation =
  /** It reads the result of that fulfillment. */
  | { readonly by: 'result'; readonly of: string }
  /** That fulfillment reads its result, of an earlier iteration. */
  | { readonly by: 'earlier result'; readonly of: string }
  /** That fulfillment is between them, and does not send requests. */
  | { readonly by: 'fulfillment'; readonly between: Fulfillment }
  /** Why a request is never part of a group: it is sent after the commit, may end the loop, or has the name of another fulfillment. */
  | { readonly by: 'message' | 'loopbreak' | 'name'; readonly of: string }
  /** It has an effect, and `together` is not `effects`. */
  | { readonly by: 'effect'; readonly of: string };

/** Requests that are sent at the same time; one by itself is a group, too. */
export interface RequestGroup {
  readonly fulfillments: readonly DataFulfillment[];
  /** Why it does not continue the group before it; undefined for the first one. */
  readonly separation: Separation | undefined;
}

/** A place with the field `together`, and the fulfillments that the field is for. */
export interface TogetherSite {
  readonly operation: Operation;
  readonly fulfillments: readonly Fulfillment[];
  /** Whether a fulfillment sends requests to a third party. */
  readonly isRequest: (fulfillment: DataFulfillment) => boolean;
}

/** The groups in their order; without `withEffects`, a request with an effect is alone. */
export function requestGroups(site: TogetherSite, withEffects: boolean): readonly RequestGroup[] {
  const groups: RequestGroup[] = [];
  /** The fulfillments of the last group, as long as it may grow. */
  let open: DataFulfillment[] = [];
  let separation: Separation | undefined;
  const end = (next: Separation): void => {
    // Of several reasons between two requests the first one counts.
    if (open.length > 0) separation = next;
    open = [];
  };
  for (const fulfillment of site.fulfillments) {
    const data = requestsOf(fulfillment, site);
    if (data === undefined) {
      end({ by: 'fulfillment', between: fulfillment });
      continue;
    }
    const of = data.name.value;
    const alone = reasonAlone(data, withEffects);
    const needed = resultOf(open, data, site.operation);
    // An effect could be allowed, but a result is needed all the same.
    if (needed !== undefined && (alone === undefined || alone === 'effect')) end(needed);
    else if (alone !== undefined) end({ by: alone, of });
    if (open.length === 0) groups.push({ fulfillments: open, separation });
    open.push(data);
    if (alone !== undefined) end({ by: alone, of });
  }
  return groups;
}

function requestsOf(fulfillment: Fulfillment, { isRequest }: TogetherSite): DataFulfillment | undefined {
  return 'instructions' in fulfillment && isRequest(fulfillment) ? fulfillment : undefined;
}

/** The reason why no other request is sent together with this one. */
function reasonAlone(
  fulfillment: DataFulfillment,
  withEffects: boolean,
): 'message' | 'loopbreak' | 'effect' | undefined {
  const requests = requestsIn(fulfillment);
  if (requests.some(({ isDelivered }) => isDelivered)) return 'message';
  if (fulfillment.loopbreak.length > 0) return 'loopbreak';
  return !withEffects && hasEffect(fulfillment) ? 'effect' : undefined;
}

/** Whether a request of the fulfillment may change data: an UPDATE, or a method other than GET or HEAD. */
export function hasEffect(fulfillment: DataFulfillment): boolean {
  return (
    fulfillment.type === 'UPDATE' ||
    requestsIn(fulfillment).some(({ httpType: { value } }) => value !== 'GET' && value !== 'HEAD')
  );
}

function requestsIn(fulfillment: DataFulfillment): readonly Request[] {
  return reachedInstructions(fulfillment).flatMap(({ action }) =>
    action !== undefined && 'url' in action ? [action] : [],
  );
}

/** Set if the fulfillment needs a result of the open group. */
function resultOf(
  open: readonly DataFulfillment[],
  fulfillment: DataFulfillment,
  operation: Operation,
): Separation | undefined {
  if (open.length === 0) return undefined;
  const names = new Set(open.map(({ name }) => name.value));
  const own = fulfillment.name.value;
  if (names.has(own)) return { by: 'name', of: own };
  const read = readBy(fulfillment, names, operation);
  if (read !== undefined) return { by: 'result', of: read };
  // An exception in the group runs after its response, when the result of this iteration may already be stored.
  const reader = open.find((one) => readBy(one, new Set([own]), operation) !== undefined);
  return reader && { by: 'earlier result', of: reader.name.value };
}

/** The first of the names whose result the fulfillment reads. */
function readBy(
  fulfillment: DataFulfillment,
  names: ReadonlySet<string>,
  operation: Operation,
): string | undefined {
  const alone: Operation = {
    ...operation,
    ...{ exceptions: [], fulfillments: [fulfillment], responses: [], mappings: [] },
  };
  const read = nodesOf(alone).find((node) => 'nameSpan' in node && names.has(node.name));
  return read !== undefined && 'nameSpan' in read ? read.name : undefined;
}

/** The separation of a group from the group before it, in words; undefined for the first group. */
export function separationText({ separation, fulfillments: [next] }: RequestGroup): string | undefined {
  if (separation === undefined || next === undefined) return undefined;
  switch (separation.by) {
    case 'result':
      return `'${next.name.value}' reads the result of '${separation.of}'`;
    case 'earlier result':
      return `'${separation.of}' reads an earlier result of '${next.name.value}'`;
    case 'fulfillment':
      return `${kindOf(separation.between)} '${separation.between.name.value}' is before '${next.name.value}'`;
    case 'message':
      return `'${separation.of}' is sent after the commit`;
    case 'loopbreak':
      return `'${separation.of}' has a 'loopbreak'`;
    case 'name':
      return `two fulfillments have the name '${separation.of}'`;
    case 'effect':
      return `'${separation.of}' may have an effect, which needs 'together: effects'`;
  }
}

function kindOf({ type }: Fulfillment): string {
  switch (type) {
    case 'READ':
    case 'UPDATE':
      return 'the statement';
    case 'LOOP':
      return 'the LOOP';
    case 'REFERENCE':
    case 'DEFERRED':
      return 'the reference';
    case 'CODE':
      return 'the user code';
    case 'COMPUTE':
      return 'the computed value';
  }
}
