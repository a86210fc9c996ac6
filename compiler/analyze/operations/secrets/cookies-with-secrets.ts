/** Open operations that work with cookies and secrets, such as log-ins: pages of other origins must not use them. */
import type { Operation } from '../../../read/config/config-model.js';
import { exceptionsOf, nodesOf } from '../../../read/config/walk.js';
import type { Expression } from '../../../read/expression/ast.js';

/** Functions of accounts and sessions. */
const secretKinds: ReadonlySet<Expression['kind']> = new Set<Expression['kind']>([
  ...(['random', 'sha256', 'hash', 'verify', 'outdated', 'token'] as const),
]);

/**
 * The cookies that these operations (one and those that it calls) read, in alphabetical order; undefined unless they read or set a cookie
 * and use a function of secrets.
 */
export function cookiesWithSecrets(operations: ReadonlySet<Operation>): readonly string[] | undefined {
  const nodes = [...operations].flatMap(nodesOf);
  if (!nodes.some(({ kind }) => secretKinds.has(kind))) return undefined;
  const read = nodes.flatMap((node) => (node.kind === 'sent' && node.place === 'cookie' ? [node.name] : []));
  const sets = [...operations].some((operation) =>
    [...operation.responses, ...exceptionsOf(operation)].some(({ header }) =>
      header.some(({ name }) => name.value.toLowerCase() === 'set-cookie'),
    ),
  );
  return read.length > 0 || sets ? [...new Set(read)].sort() : undefined;
}
