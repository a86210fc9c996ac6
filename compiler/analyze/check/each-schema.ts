/** Visits the schemas of responses, request bodies, reference parameters, inputs of user code and computed values. */
import type { Schema } from '../../read/config/config-model.js';
import type { OperationSite, Visitor } from './rule.js';

/** `hasElement`: whether the schema is inside an `item` or a loop, where `@` is an element. */
type SeeSchema = (schema: Schema, site: OperationSite, hasElement: boolean) => void;

/** Calls `see` for every schema and its nested schemas, outer schemas first. */
export function eachSchema(see: SeeSchema): Visitor {
  const follow = (schema: Schema | undefined, site: OperationSite, hasElement: boolean): void => {
    if (schema === undefined) return;
    see(schema, site, hasElement);
    if (schema.kind === 'array') follow(schema.item, site, true);
    if (schema.kind === 'object') for (const { value } of schema.fields) follow(value, site, hasElement);
  };
  return {
    response: ({ schema }, site) => {
      follow(schema, site, false);
    },
    request: ({ body }, site) => {
      follow(body, site, site.loop !== undefined);
    },
    fulfillment: (fulfillment, site) => {
      if (fulfillment.type === 'REFERENCE' || fulfillment.type === 'DEFERRED')
        for (const { value } of fulfillment.parameters) follow(value, site, site.loop !== undefined);
      if (fulfillment.type === 'COMPUTE') follow(fulfillment.schema, site, site.loop !== undefined);
      if (fulfillment.type === 'CODE') follow(fulfillment.input, site, site.loop !== undefined);
    },
  };
}
