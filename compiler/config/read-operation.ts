/** Operations (specification, Operation; decisions 1.3). */
import type { Report } from '../diagnostics/report.js';
import type { Syntax } from '../expression/ast.js';
import { Fields } from './fields.js';
import type { Datasource, Operation } from './model.js';
import { entryOf, type Entry, type MapNode, type Node } from './node.js';
import { readEndpoint } from './operation-name.js';
import { readFulfillments } from './read-fulfillment.js';
import { readMappings, readResponse, readTrigger } from './read-response.js';

const operationFields = [
  'fulfillments',
  'responses',
  'triggers',
  'mappings',
  'transaction',
  'authentications',
];

export function readOperation(
  { key, value }: Entry,
  datasources: ReadonlyMap<string, Datasource>,
  report: Report,
): Operation | undefined {
  const name = { value: key.text.value, place: key.place };
  const resource = `Operation '${name.value}'`;
  if (value.kind !== 'map') {
    report.add('wrong-kind', value.place, {
      what: resource,
      expected: 'a map (lines of the form `key: value`)',
    });
    return undefined;
  }
  const syntax = syntaxOf(value, report);
  const fields = new Fields(resource, value, operationFields, report);
  const endpoint = readEndpoint(name, report);
  if (!fields.has('fulfillments'))
    report.add('missing-field', key.place, { resource, field: 'fulfillments' });
  const maps = fields.maps('fulfillments', 'a fulfillment');
  if (fields.list('fulfillments')?.items.length === 0) {
    report.add('empty-field', fields.places.get('fulfillments') ?? key.place, {
      resource,
      field: 'fulfillments',
    });
  }
  return {
    name,
    syntax,
    endpoint,
    fulfillments: readFulfillments(maps, { syntax, datasources, report }),
    responses: fields.maps('responses', 'a response').map((map) => readResponse(map, syntax, report)),
    triggers: fields.maps('triggers', 'a trigger').map((map) => readTrigger(map, report)),
    mappings: readMappings(fields.mapping('mappings'), report),
    transaction: fields.boolean('transaction') ?? false,
    authentications: readNames(fields, 'authentications'),
    fields: fields.places,
  };
}

function readNames(fields: Fields, field: string): Operation['authentications'] {
  return fields.list(field)?.items.flatMap((item) => {
    if (item.kind === 'scalar') return [{ value: item.text.value, place: item.place }];
    fields.report.add('wrong-kind', item.place, { what: `An item of '${field}'`, expected: 'a name' });
    return [];
  });
}

/** Syntax B when the operation has `mappings`, or any of its fulfillments `queries` or `join`; mixing the two is reported. */
function syntaxOf(operation: MapNode, report: Report): Syntax {
  const signs = { A: [] as Entry[], B: [] as Entry[] };
  const mappings = entryOf(operation, 'mappings');
  if (mappings !== undefined) signs.B.push(mappings);
  const collect = (node: Node | undefined): void => {
    for (const item of node?.kind === 'list' ? node.items : []) {
      if (item.kind !== 'map') continue;
      for (const entry of item.entries) {
        const field = entry.key.text.value;
        if (field === 'queries' || field === 'join') signs.B.push(entry);
        if (field === 'instructions') signs.A.push(entry);
        if (field === 'fulfillments') collect(entry.value);
      }
    }
  };
  collect(entryOf(operation, 'fulfillments')?.value);
  const [a] = signs.A;
  const [b] = signs.B;
  if (a !== undefined && b !== undefined) {
    const later = a.key.place.start > b.key.place.start ? a : b;
    const earlier = later === a ? b : a;
    report.add('mixed-syntax', later.key.place, {
      field: later.key.text.value,
      other: earlier.key.text.value,
      otherPlace: earlier.key.place,
    });
    report.ignoreInside([later.key.place]);
  }
  return b === undefined ? 'A' : 'B';
}
