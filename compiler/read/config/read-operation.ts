/** Reads operations: their fields, and the syntax implied by their fulfillments. */
import type { Report } from '../diagnostics/report.js';
import { Fields } from './fields.js';
import { withMovedFields } from './misplaced-fields.js';
import { readAccepted } from './read-authentication.js';
import { resourceMap } from './resource-map.js';
import type { AcceptedBody, Operation } from './config-model.js';
import { entryOf, type Entry, type MapNode } from './yaml/node.js';
import { readEndpoint } from './operation-name.js';
import type { DatasourceNames } from './read-datasource.js';
import { readException, readFulfillments, readTogether } from './read-fulfillment.js';
import { readIdempotency } from './read-idempotency.js';
import { readLimits } from './read-limits.js';
import { readTool } from './read-tools.js';
import { readMappings, readResponse, readTrigger } from './read-response.js';
import { fieldTable } from './field-table.js';
import { notationOf } from '../expression/notation.js';
import { syntaxOf } from './syntax.js';

export function readOperation(
  { key, value }: Entry,
  datasources: DatasourceNames,
  report: Report,
): Operation | undefined {
  const name = { value: key.text.value, span: key.span };
  const resource = `Operation '${name.value}'`;
  const written = resourceMap({ key, value }, resource, report);
  if (written === undefined) return undefined;
  const map = withMovedFields(written);
  const methods = methodsBelow(name.value, map);
  if (methods.length > 0) {
    report.add('near-endpoint', name.span, {
      name: name.value,
      meant: undefined,
      below: methods.map((method) => `${method.toUpperCase()} ${name.value}`),
    });
    report.ignoreInside([map.span]);
    return undefined;
  }
  const syntax = syntaxOf(map, report);
  const fields = new Fields(resource, map, fieldTable.operation, report, undefined, key);
  const endpoint = readEndpoint(name, fields.has('triggers') && !fields.has('responses'), report);
  // Fulfillments are optional if the operation only returns a response.
  if (!fields.has('responses')) fields.require(['fulfillments']);
  const maps = fields.maps('fulfillments', 'a fulfillment');
  fields.requireItems('fulfillments');
  const notation = notationOf(syntax, maps.flatMap(nameOf));
  fields.requireItems('responses');
  return {
    name,
    syntax,
    endpoint,
    exceptions: fields
      .maps('exceptions', 'an exception')
      .map((exception) => readException(exception, undefined, { notation, report })),
    fulfillments: readFulfillments(maps, { notation, datasources, report }),
    responses: fields
      .maps('responses', 'a response')
      .map((response, _, all) => readResponse(response, all, notation, report)),
    triggers: fields.maps('triggers', 'a trigger').map((trigger) => readTrigger(trigger, report)),
    mappings: readMappings(mappingsIn(fields), notation, report),
    transaction: fields.boolean('transaction') ?? false,
    together: readTogether(fields),
    accepts: readAccepts(fields),
    limits: readLimits(fields, 'operation', notation),
    idempotency: readIdempotency(fields, notation),
    authentications: readAccepted(fields),
    tool: readTool(fields),
    fields: fields.spans,
  };
}

/** `request` and `contentTypes`. */
function readAccepts(fields: Fields): AcceptedBody | undefined {
  const kind = fields.word('request', ['json', 'text'] as const)?.value;
  const types = fields.names('contentTypes', 'application/vnd.api+json', 'a media type');
  if (kind !== 'text' && types.length === 0) return undefined;
  return { kind: kind ?? 'json', types };
}

/** The name of a fulfillment; empty without a name. */
function nameOf(map: MapNode): readonly string[] {
  const name = entryOf(map, 'name')?.value;
  return name?.kind === 'scalar' ? [name.text.value] : [];
}

/** The methods nested under a path, as in an API description. */
function methodsBelow(name: string, { entries }: MapNode): readonly string[] {
  if (!name.startsWith('/')) return [];
  return entries
    .map(({ key }) => key.text.value)
    .filter((key) => /^(?:get|put|post|delete|patch)$/i.test(key));
}

/** Reads mappings, including those in a list of maps, which is reported. */
function mappingsIn(fields: Fields): readonly Entry[] {
  const map = fields.mapping('mappings');
  const node = fields.node('mappings');
  const items = node?.kind === 'list' ? node.items : [];
  return map?.entries ?? items.flatMap((item) => (item.kind === 'map' ? modelsIn(item) : []));
}

/** Mappings in a list: `- News: { id: news.id }`, or `- model: News` followed by the fields. */
function modelsIn(item: MapNode): readonly Entry[] {
  if (item.entries.every(({ value }) => value.kind === 'map')) return item.entries;
  const model = item.entries.find(({ key }) => /^(?:model|name)$/i.test(key.text.value));
  if (model?.value.kind !== 'scalar') return [];
  const fields = item.entries.filter(
    (entry) => entry !== model && !/^(?:fulfillment|from)$/i.test(entry.key.text.value),
  );
  const [only] = fields;
  const isNested = fields.length === 1 && only?.value.kind === 'map';
  return [{ key: model.value, value: isNested ? only.value : { ...item, entries: fields } }];
}
