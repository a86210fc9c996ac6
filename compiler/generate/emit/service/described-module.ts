/** src/described.ts: the parts of third-party responses that operations read, as typed by the third parties' descriptions. */
import { call, comment, constant, doc, exported, field, name, tallObject } from '../../code/code.js';
import type { OperationPlan } from '../../plan/operation-plan.js';
import type { ServicePlan } from '../../plan/plan.js';
import { Module } from '../module/module.js';
import { ValidatorEmitter } from './validator.js';

/** Module path without extension. */
export const describedModule = 'src/described';

/** Undefined if no operation reads a described response. */
export function emitDescribed({ operations, configName }: ServicePlan): Module | undefined {
  const described = operations.filter(({ described: { length } }) => length > 0);
  if (described.length === 0) return undefined;
  const module = new Module(`${describedModule}.ts`, configName);
  module.add(
    comment(
      'The parts of responses of third parties that operations read, as the API descriptions declare them. A difference is logged once.',
    ),
  );
  const emitter = new ValidatorEmitter(module, []);
  for (const operation of described) emitOperation(operation, module, emitter);
  return module;
}

function emitOperation(
  { name: operation, responsesName, described }: OperationPlan,
  module: Module,
  emitter: ValidatorEmitter,
): void {
  const requests = described.map((request) => {
    const schemas = request.schemas.map(([status, schema]) => field(status, emitter.schema(schema)));
    return field(request.name, call(module.runtime('describedResponses'), tallObject(schemas)));
  });
  module.add(doc(operation), exported(constant(name(responsesName), tallObject(requests))));
}
