/** Tests for the simplest operations of a description: empty lists, rows that are missing, rows that are added. */
import { printYamlLines } from '../../../read/config/yaml/yaml-print.js';
import type { ApiEndpoint, ApiParameter } from '../../../read/openapi/api-model.js';
import { listShape, successOf } from './described-shape.js';
import type { DescribedOperation } from './described-steps.js';
import type { EndpointWithTable } from './described-table.js';
import { exampleValue } from '../example-value.js';

type Json = Readonly<Record<string, unknown>>;

/** The text of a test file; undefined where there is nothing to test. */
export function describedTests(
  written: readonly { readonly target: EndpointWithTable; readonly made: DescribedOperation }[],
): string | undefined {
  const tests = written.flatMap(({ target, made }) => testsOf(target, made));
  if (tests.length === 0) return undefined;
  return `# Run them with: apikiln test\n# Every test begins with the tables of schema.sql, and the rows of seed.sql where there are some.\n${printYamlLines({ tests })}`;
}

function testsOf({ endpoint }: EndpointWithTable, { kind }: DescribedOperation): Json[] {
  const request = requestOf(endpoint);
  if (request === undefined) return [];
  const { status, json } = successOf(endpoint);
  const name = `${endpoint.method} ${endpoint.path}`;
  if (kind === 'list') {
    const field = listShape(json)?.field;
    const body = field === undefined ? { body: [] } : { bodyIncludes: { [field]: [] } };
    return [
      {
        name: `${name} lists nothing in the beginning`,
        ...request,
        response: { statuscode: status, ...body },
      },
    ];
  }
  if (kind === 'read' || kind === 'delete')
    return [{ name: `${name} of a row that is missing`, ...request, response: { statuscode: 404 } }];
  if (kind !== 'insert' || endpoint.body?.json === undefined) return [];
  const body = exampleValue(endpoint.body.json, true);
  return body === undefined
    ? []
    : [{ name: `${name} adds a row`, ...request, body, response: { statuscode: status } }];
}

/** The request with values for all that is required; undefined where no value can be made up. */
function requestOf({ method, path, parameters }: ApiEndpoint): Json | undefined {
  const required = parameters.filter((one) => one.required && one.in !== 'path');
  const example = ({ schema }: ApiParameter): unknown =>
    schema === undefined ? 'text' : exampleValue(schema);
  const inPath = [...path.matchAll(/\{([^{}]+)\}/g)].map(([written, name]): [string, unknown] => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
    return [written, parameter === undefined ? 'text' : example(parameter)];
  });
  const target = inPath.reduce(
    (text, [written, value]) => text.replace(written, encodeURIComponent(String(value))),
    path,
  );
  const query = required
    .filter((one) => one.in === 'query')
    .map((one): [string, unknown] => [one.name, example(one)]);
  const header = required
    .filter((one) => one.in === 'header')
    .map((one): [string, unknown] => [one.name, example(one)]);
  if ([...inPath, ...query, ...header].some(([, value]) => !isPlain(value) || value === '')) return undefined;
  if (required.some((one) => one.in === 'cookie')) return undefined;
  return {
    request: `${method} ${target}`,
    ...(query.length === 0 ? {} : { query: Object.fromEntries(query) }),
    ...(header.length === 0 ? {} : { header: Object.fromEntries(header) }),
  };
}

function isPlain(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
