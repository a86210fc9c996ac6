/** Reads `mcp` of the configuration, and `tool` of an operation (docs/design/tools.md#mcp-1). */
import type { McpEndpoint, ToolDeclaration } from './config-model.js';
import type { Fields } from './fields.js';
import { fieldTable } from './field-table.js';

/** The path without `path`. */
const usualPath = '/mcp';

/** `mcp` of the configuration. */
export function readMcp(root: Fields): McpEndpoint | undefined {
  const fields = root.inside('mcp', fieldTable.mcp, "'mcp'");
  const span = root.spans.get('mcp');
  if (fields === undefined || span === undefined) return undefined;
  return {
    path: fields.stringWithSpan('path') ?? { value: usualPath, span },
    url: fields.textWithReferences('url'),
    instructions: fields.stringWithSpan('instructions'),
    span,
  };
}

/** `tool` of an operation. */
export function readTool(operation: Fields): ToolDeclaration | undefined {
  const fields = operation.inside('tool', fieldTable.tool);
  const span = operation.spans.get('tool');
  if (fields === undefined || span === undefined) return undefined;
  fields.require();
  return {
    name: fields.stringWithSpan('name'),
    description: fields.stringWithSpan('description'),
    secret: fields.boolean('secret') ?? false,
    span,
  };
}
