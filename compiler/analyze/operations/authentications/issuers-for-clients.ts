/** The issuers where MCP clients can get tokens for tools (docs/design/tools.md#mcp-7). */
import { isSecureAddress } from '../../../../runtime/server/secure-address.js';
import {
  checkedIdentifier,
  type Authentication,
  type Config,
  type TokenAuthentication,
} from '../../../read/config/config-model.js';
import { acceptedBy } from './accepted.js';

/** The authentications of tools whose issuer can give tokens to clients. */
export function issuersForClients(config: Config): readonly TokenAuthentication[] {
  const tools = config.operations.filter(({ tool }) => tool !== undefined);
  const accepted = new Set(
    tools.flatMap((operation) => (acceptedBy(operation, config) ?? []).map(({ value }) => value)),
  );
  return config.authentications.filter(
    (one): one is TokenAuthentication => accepted.has(one.name.value) && isForClients(one),
  );
}

/** Whether the issuer is, or can be, a server, and its tokens are sent as `Bearer`. */
function isForClients(authentication: Authentication): boolean {
  if (authentication.type !== 'jwt') return false;
  const { issuer, scheme, cookie, issue } = authentication;
  const address = checkedIdentifier(issuer)?.value;
  if (address === undefined || cookie !== undefined || issue !== undefined) return false;
  const isSent = scheme === undefined || scheme.value.toLowerCase() === 'bearer';
  return isSent && (address.includes('${') || isSecureAddress(address));
}
