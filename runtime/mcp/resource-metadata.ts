/**
 * The metadata of the endpoint (RFC 9728), which name the issuers of its tokens. Clients read the metadata after a 401 response, and then
 * ask their user to log in at the issuer.
 */
import type { Authentication } from '../authentication/authentication.js';
import type { JsonObject } from '../handler/json.js';
import type { Environment } from '../server/environment.js';
import { problemOfMcpUrl } from '../server/secure-address.js';

/** An authentication whose issuer gives tokens to clients. */
export type Issuing = Pick<Authentication, 'authorizationServer'>;

/** The path of metadata, which the path of the endpoint follows. */
const wellKnown = '/.well-known/oauth-protected-resource';

export class ResourceMetadata {
  readonly #paths: ReadonlySet<string>;

  private constructor(
    /** The URL of the metadata, for challenges. */
    readonly address: string,
    readonly body: JsonObject,
    paths: readonly string[],
  ) {
    this.#paths = new Set([wellKnown, ...paths.map((path) => `${wellKnown}${path}`)]);
  }

  /** Reads MCP_URL, the public URL of the endpoint. Undefined without it, and if no issuer is a server. Settings of the issuers are read. */
  static from(
    environment: Environment,
    issuers: readonly Issuing[],
    path: string,
  ): ResourceMetadata | undefined {
    const written = environment.text('MCP_URL', 'the field url of mcp')?.trim() ?? '';
    if (issuers.length === 0 || written === '') return undefined;
    const problem = problemOfMcpUrl(written);
    if (problem !== undefined) {
      environment.problems.push(`MCP_URL ${problem}: it is the field url of mcp`);
      return undefined;
    }
    const servers = issuers.flatMap(({ authorizationServer }) => authorizationServer ?? []);
    if (servers.length === 0) return undefined;
    const { origin, pathname } = new URL(written);
    const ending = pathname === '/' ? '' : pathname;
    const body = {
      resource: written,
      authorization_servers: [...new Set(servers)],
      bearer_methods_supported: ['header'],
    };
    return new ResourceMetadata(`${origin}${wellKnown}${ending}`, body, [ending, path]);
  }

  /** Whether the metadata have this path. */
  owns(path: string): boolean {
    return this.#paths.has(path);
  }
}
