/** Facts about operations with an idempotency key: their database, and what a request is compared by. */
import {
  outboxFieldOf,
  type Config,
  type DatabaseDatasource,
  type Operation,
} from '../../read/config/config-model.js';
import { allFulfillments, deliveredRequests, nodesOf, withCalled } from '../../read/config/walk.js';
import type { ApiEndpoint } from '../../read/openapi/api-model.js';
import { acceptedBy } from './authentications/accepted.js';
import { outboxOf } from './outbox-of.js';

/** The databases of the transaction of these operations. User code alone uses the only database. */
export function databasesOf(operations: Iterable<Operation>, config: Config): readonly DatabaseDatasource[] {
  const databases = config.datasources.flatMap((one) => (one.type === 'db' ? [one] : []));
  const used = new Set<string | undefined>();
  for (const { fulfillments } of operations)
    for (const { fulfillment } of allFulfillments(fulfillments)) {
      if (fulfillment.type === 'DEFERRED') used.add(outboxOf(fulfillment, config)?.name.value);
      if (!('datasource' in fulfillment)) continue;
      used.add(fulfillment.datasource.value);
      const third = config.datasources.find(({ name }) => name.value === fulfillment.datasource.value);
      if (third !== undefined && deliveredRequests(fulfillment).length > 0)
        used.add(outboxFieldOf(third)?.value);
    }
  const found = databases.filter(({ name }) => used.has(name.value));
  return found.length === 0 && databases.length === 1 ? databases : found;
}

/** The databases that store the responses of operations with a key. */
export function storesOfKeys(config: Config): readonly DatabaseDatasource[] {
  const byName = new Map(config.operations.map((operation) => [operation.name.value, operation]));
  const stores = config.operations
    .filter(({ idempotency }) => idempotency !== undefined)
    .flatMap((operation) => databasesOf(withCalled([operation], byName), config).slice(0, 1));
  return [...new Set(stores)];
}

/** The names of headers, cookies and parameters that can be headers, in alphabetical order. */
export interface ComparedNames {
  readonly headers: readonly string[];
  readonly cookies: readonly string[];
  readonly parameters: readonly string[];
}

/** The headers and cookies that these operations read of a request, except its key: requests with other values are other requests. */
export function comparedNames(
  { idempotency, endpoint }: Operation,
  operations: Iterable<Operation>,
  described: ApiEndpoint | undefined,
): ComparedNames {
  const headers = new Set<string>();
  const cookies = new Set<string>();
  const read = new Set<string>();
  for (const operation of operations)
    for (const node of nodesOf(operation)) {
      if (node.kind === 'if-match') headers.add('if-match');
      if (node.kind === 'param') read.add(node.name);
      if (node.kind !== 'sent') continue;
      if (node.place === 'header') headers.add(node.name.toLowerCase());
      if (node.place === 'cookie') cookies.add(node.name);
    }
  for (const name of endpoint?.parameters ?? []) read.delete(name);
  for (const { name, in: place } of described?.parameters ?? []) {
    if (!read.has(name)) continue;
    if (place === 'header') headers.add(name.toLowerCase());
    if (place === 'cookie') cookies.add(name);
  }
  const key = idempotency?.key;
  if (key?.kind === 'sent' && key.place === 'header') headers.delete(key.name.toLowerCase());
  for (const { name } of described?.parameters ?? []) read.delete(name);
  if (key?.kind === 'param') read.delete(key.name);
  return { headers: [...headers].sort(), cookies: [...cookies].sort(), parameters: [...read].sort() };
}

/** Whether all callers have the same credentials: senders that sign their messages. */
export function areCallersEqual(operation: Operation, config: Config): boolean {
  const accepted = acceptedBy(operation, config) ?? [];
  const types = new Map(config.authentications.map(({ name, type }) => [name.value, type]));
  return (
    accepted.length > 0 &&
    accepted.every(({ value, isOptional }) => !isOptional && types.get(value) === 'signature')
  );
}
