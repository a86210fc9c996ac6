/** Whether an expression reads the API key or the token of a request, where an authentication finds it. */
import type { Authentication } from '../../../read/config/config-model.js';
import type { Expression } from '../../../read/expression/ast.js';

type Sent = Extract<Expression, { readonly kind: 'sent' }>;

export function readsCredential(node: Sent, authentications: readonly Authentication[]): boolean {
  return authentications.some((one) => {
    if (one.type === 'jwt') return node.place === 'cookie' && one.cookie?.value === node.name;
    if (one.type !== 'apikey') return false;
    const name = one[node.place]?.value;
    return node.place === 'header' ? name?.toLowerCase() === node.name.toLowerCase() : name === node.name;
  });
}
