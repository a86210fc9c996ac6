/** The errors that the service itself can return for an operation. */
import {
  cookieOf,
  acceptedBy,
  canBeDenied,
  isSentByBrowsers,
} from '../operations/authentications/accepted.js';
import type { Config, Operation } from '../../read/config/config-model.js';
import { allFulfillments, isStatement, nodesOf } from '../../read/config/walk.js';
import { isSafe } from '../../../runtime/http/page-origin.js';
import { acceptsAnyPage } from '../operations/requests/accepted-types.js';
import { cookiesWithSecrets } from '../operations/secrets/cookies-with-secrets.js';
import { limitsOfRequests } from '../operations/limits.js';
import { hasContext } from '../operations/statements/row-context.js';

/** Facts about an operation's request. */
export interface RequestFacts {
  /** Whether the request has parameters or a body. */
  readonly hasInput: boolean;
  readonly hasBody: boolean;
}

/** `called` are the operations that this one calls. */
export function errorStatuses(
  operation: Operation,
  called: readonly Operation[],
  config: Config,
  { hasInput, hasBody }: RequestFacts,
): number[] {
  const { idempotency } = operation;
  const { isProtected, isForbidden, isSigned, isOpen } = accessOf(operation, config);
  const isForKnownPages =
    isOpen && (acceptsAnyPage(operation.accepts) || cookiesWithSecrets(operation, called) !== undefined);
  const steps = [operation, ...called].flatMap(({ fulfillments }) =>
    allFulfillments(fulfillments).flatMap(({ fulfillment }) =>
      'instructions' in fulfillment
        ? fulfillment.instructions.map(({ action }) => ({ action, continues: fulfillment.continues }))
        : [],
    ),
  );
  const used = new Set(
    [operation, ...called].flatMap(({ fulfillments }) =>
      allFulfillments(fulfillments).map(({ fulfillment }) =>
        'datasource' in fulfillment ? fulfillment.datasource.value : undefined,
      ),
    ),
  );
  const isRefused = config.datasources.some(
    (datasource) => used.has(datasource.name.value) && hasContext(datasource),
  );
  const changes = steps.some(({ action }) => isStatement(action) && !action.retry);
  // There is no 502 if the operation continues after a failure or sends the request later.
  const asksOthers = steps.some(
    ({ action, continues }) => action !== undefined && 'kind' in action && !continues && !action.isDelivered,
  );
  const hashes = [operation, ...called]
    .flatMap(nodesOf)
    .some(({ kind }) => kind === 'hash' || kind === 'verify');
  return [
    // Database code (RAISE, SIGNAL) can refuse any change, even without request values.
    ...(hasInput || changes || hashes || idempotency !== undefined ? [400] : []),
    ...(isProtected ? [401] : []),
    ...(isForbidden || isRefused || isForKnownPages ? [403] : []),
    ...(changes || idempotency !== undefined ? [409] : []),
    ...(hasBody || isSigned ? [413, 415] : []),
    ...(idempotency === undefined ? [] : [422]),
    ...(limitsOfRequests(operation, config).length > 0 ? [429] : []),
    500,
    ...(asksOthers ? [502] : []),
    // Large responses of all operations share a memory limit.
    ...[503, 504],
  ];
}

function accessOf(
  operation: Operation,
  config: Config,
): Readonly<Record<'isProtected' | 'isForbidden' | 'isSigned' | 'isOpen', boolean>> {
  const accepted = acceptedBy(operation, config);
  const named = new Set(accepted?.map(({ value }) => value));
  const types = config.authentications.filter(({ name }) => named.has(name.value));
  return {
    isProtected: accepted?.length !== 0,
    isOpen: accepted?.length === 0 || accepted?.some(({ isOptional }) => isOptional) === true,
    isForbidden:
      accepted?.some(({ scopes }) => scopes.length > 0) === true ||
      types.some((one) => canBeDenied(one, config)) ||
      (!isSafe(operation.endpoint?.method) &&
        types.some((one) => cookieOf(one) !== undefined || isSentByBrowsers(one.type))),
    isSigned: types.some(({ type }) => type === 'signature'),
  };
}
