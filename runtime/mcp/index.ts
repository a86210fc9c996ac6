/** The exports of the part `mcp`, which generated code imports. */
export { mcpEndpoint } from './endpoint.js';
