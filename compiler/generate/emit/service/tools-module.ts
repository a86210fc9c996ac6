/** src/tools.ts: the endpoint of MCP clients, with the operations that are tools. */
import {
  array,
  call,
  constant,
  doc,
  exported,
  field,
  fieldOf,
  json,
  jsonFields,
  literal,
  name,
  object,
  strings,
  tallArray,
  tallObject,
  type Code,
} from '../../code/code.js';
import type { ToolsPlan } from '../../plan/tools-plan.js';
import { authenticationsModule, emitAccess } from './authentications.js';
import { Module } from '../module/module.js';

/** Module path without extension. */
export const toolsModule = 'src/tools';

/** The name of the export. */
export const toolsName = 'toolEndpoint';

/** The service, as clients see it. */
interface ServiceName {
  readonly name: string;
  readonly version: string;
}

export function emitTools(plan: ToolsPlan, service: ServiceName, configName: string): Module {
  const module = new Module(`${toolsModule}.ts`, configName);
  const { path, instructions, ownHeaders, access, issuers, tools } = plan;
  const issuing = issuers.map((identifier) => module.import(authenticationsModule, identifier));
  const fields = [
    field('path', literal(path)),
    field('name', literal(service.name)),
    field('version', literal(service.version)),
    ...fieldOf('instructions', instructions === undefined ? undefined : literal(instructions)),
    ...fieldOf('ownHeaders', ownHeaders.length === 0 ? undefined : strings(ownHeaders)),
    ...emitAccess(access, undefined, module),
    ...fieldOf('issuers', issuing.length === 0 ? undefined : array(issuing)),
    field('tools', tallArray(tools.map(emitTool))),
  ];
  module.add(
    doc('The operations that MCP clients can call as tools.'),
    exported(constant(name(toolsName), call(module.runtime('mcpEndpoint'), tallObject(fields)))),
  );
  return module;
}

function emitTool(tool: ToolsPlan['tools'][number]): Code {
  const { operation, description, annotations, inputSchema, outputSchema } = tool;
  const args = tool.arguments.map((argument) => json(argument));
  return tallObject([
    field('operation', literal(operation)),
    field('name', literal(tool.name)),
    field('description', literal(description)),
    field('annotations', object(jsonFields({ ...annotations }))),
    ...fieldOf('arguments', args.length === 0 ? undefined : tallArray(args)),
    field('inputSchema', json(inputSchema)),
    ...fieldOf('outputSchema', outputSchema === undefined ? undefined : json(outputSchema)),
  ]);
}
