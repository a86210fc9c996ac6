/** The endpoint of MCP clients: who may use it, and its tools. */
import { knownValues } from '../../analyze/describe/values-for-description.js';
import { describeTools, type DescribedTool } from '../../analyze/describe/tools.js';
import { issuersForClients } from '../../analyze/operations/authentications/issuers-for-clients.js';
import type { CheckedService } from '../../analyze/check/checked.js';
import type { AccessPlan } from './access.js';
import type { ServicePlan } from './plan.js';

export interface ToolsPlan {
  /** With the base path of the service. */
  readonly path: string;
  readonly instructions: string | undefined;
  /** The headers that src/middleware.ts sets. Calls read them from the MCP request. */
  readonly ownHeaders: readonly string[];
  /** The callers that may list the tools: those of any tool, whatever their scopes. Empty for everybody. */
  readonly access: AccessPlan;
  /** The identifiers of authentications whose issuers the endpoint names to clients. Empty without a public URL. */
  readonly issuers: readonly string[];
  readonly tools: readonly DescribedTool[];
}

/** The plan of the endpoint; undefined if the service has none. */
export function planTools(
  { analysis }: CheckedService,
  { access, authentications, basePath }: ServicePlan,
): ToolsPlan | undefined {
  const { config, description, beside } = analysis;
  const { mcp } = config;
  if (mcp === undefined) return undefined;
  const tools = describeTools(config, description, () => knownValues(analysis), beside.ownHeaders);
  const issuers = mcp.url === undefined ? [] : issuersForClients(config).map(({ name }) => name.value);
  return {
    path: basePath + mcp.path.value,
    instructions: mcp.instructions?.value.trim(),
    ownHeaders: [...beside.ownHeaders].sort(),
    access: accessToAny(tools.map(({ operation }) => access.get(operation) ?? [])),
    issuers: authentications.filter(({ name }) => issuers.includes(name)).map(({ identifier }) => identifier),
    tools,
  };
}

/** Everybody who may use one of these, without scopes. */
function accessToAny(all: readonly AccessPlan[]): AccessPlan {
  if (all.some((one) => one.length === 0 || one.some(({ isOptional }) => isOptional))) return [];
  const byName = new Map(all.flat().map((one) => [one.name, { ...one, scopes: [] }]));
  return [...byName.values()];
}
