/** Connections that an attacker on the network can read or take over. */
import { referenceAt } from '../../../runtime/server/environment-reference.js';
import { replaceReferences } from '../../read/config/environment-reference.js';
import { parseJdbcUrl } from '../../read/config/jdbc/jdbc-url.js';
import type { Datasource } from '../../read/config/config-model.js';
import { allSteps, type ServiceView } from '../explain/service-view.js';
import type { Risk } from './risk.js';

export function openTransport(view: ServiceView): Risk[] {
  const { datasources } = view.analysis.config;
  return [...datasources.flatMap(plainDatasource), ...plainRequests(view)];
}

function plainDatasource(datasource: Datasource): Risk | [] {
  switch (datasource.type) {
    case 'rest':
      return plainUrl(datasource);
    case 'db':
      return plainDatabase(datasource);
    // A mail server has TLS, or is on the same machine.
    case 'smtp':
    case undefined:
      return [];
  }
}

function plainDatabase({ name, url, dialect }: Datasource): Risk | [] {
  if (url === undefined) return [];
  // If the whole URL comes from the environment, its scheme is chosen there.
  const begin = referenceAt(url.value.trim(), 0);
  if (begin !== undefined && begin.fallback === undefined) return [];
  const hasReference = url.value.includes('${');
  const { options, hosts } = parseJdbcUrl(resolvedUrl(url.value));
  if (options.tls === 'verify-ca' || options.tls === 'verify-full') return [];
  const isLocal = hosts.every(({ host }) => isLocalHost(host));
  if (isLocal && !hasReference) return [];
  const isEncrypted = options.tls === 'encrypt';
  const option = dialect === 'mysql' ? 'sslMode=VERIFY_IDENTITY' : 'sslmode=verify-full';
  return {
    rule: isEncrypted ? 'unverified-server' : 'no-encryption',
    severity: isEncrypted || isLocal ? 'low' : 'medium',
    span: url.span,
    message: isEncrypted
      ? `The connection to '${name.value}' is encrypted, but the certificate is not verified: anyone on the network can pose as the server.`
      : `The connection to '${name.value}' is not encrypted${isLocal ? ', even if the environment names another host' : ''}.`,
    hint: `Add ${option} to its url, unless the whole network in between is yours.`,
  };
}

function plainUrl({ name, url }: Datasource): Risk | [] {
  if (url === undefined || !isPlain(resolvedUrl(url.value))) return [];
  return plainRisk(url.span, `Requests to '${name.value}' are not encrypted.`);
}

function plainRequests({ operations }: ServiceView): Risk[] {
  return operations.flatMap((operation) =>
    allSteps(operation).flatMap(({ viewed }) => {
      if (viewed.kind !== 'data') return [];
      return viewed.checked.instructions.flatMap(({ action }): Risk | [] => {
        if (action.kind !== 'request' || action.url.kind !== 'parts') return [];
        const { request, url } = action;
        const isOpen = url.origin !== undefined && isPlain(url.origin);
        const { value: name } = viewed.checked.written.name;
        return isOpen && request.url !== undefined
          ? plainRisk(request.url.span, `The request of '${name}' is not encrypted.`)
          : [];
      });
    }),
  );
}

function plainRisk(span: Risk['span'], message: string): Risk {
  return {
    rule: 'no-encryption',
    severity: 'medium',
    span,
    message,
    hint: 'Write https:// if the API supports it.',
  };
}

function isPlain(url: string): boolean {
  return /^http:/i.test(url) && URL.canParse(url) && !isLocalHost(new URL(url).host.replace(/:\d+$/, ''));
}

/** The URL with the defaults of references. A reference without a default becomes an unknown host or, after a colon, a port. */
function resolvedUrl(url: string): string {
  return replaceReferences(
    url.trim(),
    ({ fallback, start }) => fallback ?? (url.trim()[start - 1] === ':' ? '1' : 'host.invalid'),
  );
}

function isLocalHost(host: string): boolean {
  return (
    /^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|host\.docker\.internal)$/i.test(host) ||
    host === '' ||
    host.startsWith('/')
  );
}
