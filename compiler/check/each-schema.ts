/** The schemas of responses, request bodies and reference parameters, for the rules about them (decisions 7.6, 7.7). */
import type { Schema } from '../config/config-model.js';
import type { OperationSite, Visitor } from './rule.js';

/** Calls back for every schema and for those inside it, the outer ones first. */
export function eachSchema(see: (schema: Schema, site: OperationSite) => void): Visitor {
  const follow = (schema: Schema | undefined, site: OperationSite): void => {
    if (schema === undefined) return;
    see(schema, site);
    if (schema.kind === 'array') follow(schema.item, site);
    if (schema.kind === 'object') for (const { value } of schema.fields) follow(value, site);
  };
  return {
    response: ({ schema }, site) => {
      follow(schema, site);
    },
    request: ({ body }, site) => {
      follow(body, site);
    },
    fulfillment: (fulfillment, site) => {
      if (fulfillment.type === 'REFERENCE')
        for (const { value } of fulfillment.parameters) follow(value, site);
    },
  };
}
