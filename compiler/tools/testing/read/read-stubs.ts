/** The third parties of a test: expected requests, and their responses. */
import { Fields } from '../../../read/config/fields.js';
import type { MapNode, Node } from '../../../read/config/yaml/node.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import { stubFaults } from '../../local/stub-server.js';
import { checkStub } from '../described-stub.js';
import { readRequestLine } from './read-action.js';
import { readHeader } from './read-header-map.js';
import { testFields } from './test-fields.js';
import type { Stub } from './test-model.js';
import type { StubScope } from './test-scope.js';

export function readStubs(map: MapNode | undefined, scope: StubScope): Stub[] {
  const known = scope.config.datasources.filter(({ type }) => type === 'rest').map(({ name }) => name.value);
  return (map?.entries ?? []).flatMap(({ key, value }) => {
    const name = key.text.value;
    const isOther = scope.config.datasources.some((datasource) => datasource.name.value === name);
    if (!known.includes(name))
      scope.report.add('test-datasource', key.span, {
        name,
        nearest: nearest(name, known),
        known,
        expected: 'rest',
        isOther,
      });
    return itemsOf(value, name, scope).flatMap((item) => readStub(item, name, scope));
  });
}

/** A single stub may be written without a list. */
function itemsOf(value: Node, name: string, { report }: StubScope): MapNode[] {
  if (value.kind === 'map') return [value];
  const items = value.kind === 'list' ? value.items : [];
  const maps = items.flatMap((item) => (item.kind === 'map' ? [item] : []));
  if (value.kind !== 'list' || maps.length < items.length)
    report.add('wrong-kind', value.span, {
      what: `'${name}'`,
      expected: 'a list of requests, each with its response',
      example: '- request: GET /search',
    });
  return maps;
}

function readStub(map: MapNode, datasource: string, scope: StubScope): Stub[] {
  const { report } = scope;
  const fields = new Fields(`A request to '${datasource}'`, map, testFields['a stubbed request'], report);
  fields.require();
  const request = readRequestLine(fields.stringWithSpan('request'), scope);
  const section = fields.section('response');
  const response = new Fields(
    "'response'",
    section ?? { ...map, entries: [] },
    testFields['a stubbed response'],
    report,
  );
  const fault = response.word('fault', stubFaults);
  const statuscode = response.integer('statuscode');
  const read = {
    datasource,
    query: fields.section('query'),
    header: readHeader(fields, scope),
    body: fields.node('body'),
    bodyIncludes: fields.node('bodyIncludes'),
    form: fields.section('form'),
    signedWith: fields.text('signedWith'),
    times: fields.integer('times')?.value ?? 1,
    status: statuscode?.value ?? 200,
    statusSpan: statuscode?.span,
    responseHeader: readHeader(response, scope),
    responseBody: response.node('body'),
    fault: fault?.value,
    delay: response.integer('delay')?.value ?? 0,
  };
  if (request === undefined) return [];
  const stub = { ...read, request };
  checkStub(stub, scope);
  return [stub];
}
