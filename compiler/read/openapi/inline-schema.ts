/** Reads JSON schemas inside a configuration: the types of user code. */
import type { Config } from '../config/config-model.js';
import { allFulfillments } from '../config/walk.js';
import type { MapNode } from '../config/yaml/node.js';
import { Recording } from '../diagnostics/recording.js';
import type { Report } from '../diagnostics/report.js';
import type { ApiSchema } from './api-model.js';
import { SchemaReader } from './read-api-schema.js';

interface InlineSchema {
  readonly schema: ApiSchema;
  readonly recording: Recording;
}

/** A cache, so that each schema is read only once. */
const known = new WeakMap<MapNode, InlineSchema>();

/** Reads a schema; `reportInlineSchemas` reports its errors. */
export function inlineSchema(node: MapNode): ApiSchema {
  return read(node).schema;
}

export function reportInlineSchemas({ operations, functions }: Config, report: Report): void {
  for (const { fulfillment } of operations.flatMap(({ fulfillments }) => allFulfillments(fulfillments)))
    if (fulfillment.type === 'CODE' && fulfillment.returns?.kind === 'schema')
      report.replay(read(fulfillment.returns.node).recording.all);
  for (const type of functions.flatMap(({ input, returns }) => [...input, returns]))
    if (type?.kind === 'schema') report.replay(read(type.node).recording.all);
}

/** Inline schemas cannot refer to anything outside. */
function read(node: MapNode): InlineSchema {
  const earlier = known.get(node);
  if (earlier !== undefined) return earlier;
  const recording = new Recording();
  const document = { path: '', source: node.span.source, root: node, isYaml: true };
  const reader = new SchemaReader(
    {
      target: (reference) => {
        recording.add('returns-reference', reference.span, { reference: reference.text.value });
        return undefined;
      },
    },
    recording,
  );
  const inline = { schema: reader.read({ node, document }), recording };
  known.set(node, inline);
  return inline;
}
