/** Open operations that work with cookies and secrets, such as log-ins: pages of other origins must not use them. */
import { isSafe } from '../../../../runtime/http/page-origin.js';
import type { Operation } from '../../../read/config/config-model.js';
import { exceptionsOf, nodesOf } from '../../../read/config/walk.js';
import type { Expression } from '../../../read/expression/ast.js';
import { nodesIn } from '../../../read/expression/visit.js';

/** Functions of accounts and sessions. */
const secretKinds: ReadonlySet<Expression['kind']> = new Set<Expression['kind']>([
  ...(['random', 'sha256', 'hash', 'verify', 'outdated', 'token'] as const),
]);

/** Values that are not constant and not in the request: a session of a database, of user code or of a third party, or a UUID. */
const madeKinds: ReadonlySet<Expression['kind']> = new Set<Expression['kind']>([
  ...(['value', 'value-by-index', 'element', 'result', 'response-header', 'uuid'] as const),
]);

/**
 * The cookies that only pages of known origins may send to `operation`, in alphabetical order; undefined if all pages may call it. `called`
 * are the operations that it calls.
 *
 * With a function of secrets, an operation that reads or sets a cookie is for known pages. Without one, it is if it sets a cookie to a value
 * that is not in the request, and its method is not GET: a third party that logs users in sends them back by a link.
 */
export function cookiesWithSecrets(
  operation: Operation,
  called: Iterable<Operation>,
): readonly string[] | undefined {
  const operations = [...new Set([operation, ...called])];
  const nodes = operations.flatMap(nodesOf);
  const set = operations.flatMap(cookiesSetBy);
  if (!nodes.some(({ kind }) => secretKinds.has(kind))) {
    const isLogIn = !isSafe(operation.endpoint?.method) && set.flat().some(({ kind }) => madeKinds.has(kind));
    return isLogIn ? [] : undefined;
  }
  const read = nodes.flatMap((node) => (node.kind === 'sent' && node.place === 'cookie' ? [node.name] : []));
  return read.length > 0 || set.length > 0 ? [...new Set(read)].sort() : undefined;
}

/** The expressions of each `Set-Cookie` of the responses and exceptions. */
function cookiesSetBy(operation: Operation): Expression[][] {
  return [...operation.responses, ...exceptionsOf(operation)]
    .flatMap(({ header }) => header)
    .filter(({ name }) => name.value.toLowerCase() === 'set-cookie')
    .map(({ value }) => value.flatMap((part) => (typeof part === 'string' ? [] : nodesIn(part))));
}
