/** Consequences of changed tools for MCP clients. */
import type { McpEndpoint, ToolDeclaration } from '../../read/config/config-model.js';
import { breaking, fine, type ShapeChange } from './compare-shapes.js';

/** Compares the endpoints of MCP clients. */
export function compareMcp(before: McpEndpoint | undefined, after: McpEndpoint | undefined): ShapeChange[] {
  if (before === undefined)
    return after === undefined ? [] : [fine(`the endpoint of MCP clients under ${after.path.value} is new`)];
  const old = before.path.value;
  if (after === undefined) return [breaking(`the endpoint of MCP clients under ${old} was removed`)];
  const now = after.path.value;
  return [
    ...(now === old ? [] : [breaking(`the endpoint of MCP clients is ${now} now; it was ${old}`)]),
    ...(before.url?.value === after.url?.value
      ? []
      : [fine('the public URL of the endpoint of MCP clients is different now')]),
    ...(before.instructions?.value === after.instructions?.value
      ? []
      : [fine('the instructions for MCP clients are different now')]),
  ];
}

/** Compares what an operation is as a tool. */
export function compareTools(
  before: ToolDeclaration | undefined,
  after: ToolDeclaration | undefined,
): ShapeChange[] {
  const [old, now] = [before?.name?.value, after?.name?.value];
  if (old === undefined) return now === undefined ? [] : [fine(`MCP clients can call it as ${now} now`)];
  if (now === undefined) return [breaking(`MCP clients cannot call it as ${old} now`)];
  if (now !== old) return [breaking(`MCP clients call it as ${now} now; it was ${old}`)];
  return before?.description?.value === after?.description?.value
    ? []
    : [fine(`the description of the tool ${now} is different now`)];
}
