/**
 * The generated description of each fixture lists exactly the statuses reported by `explain`, and each response to the fixture's requests,
 * including errors, has the described body.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import { generateDescription } from '../../compiler/analyze/describe/generate.js';
import { knownValues } from '../../compiler/analyze/describe/values-for-description.js';
import { pathShape } from '../../compiler/read/openapi/match.js';
import { explainOperation } from '../../compiler/tools/explain/explain-operation.js';
import { ServiceView, type ViewedOperation } from '../../compiler/tools/explain/service-view.js';
import { requestedOperation } from '../helpers/requested-operation.js';
import { inputOf, serviceFixtures, type ServiceFixture } from '../helpers/service-fixture.js';

type Content = Readonly<Record<string, { readonly schema: object }>>;
interface DescribedResponse {
  readonly $ref?: string;
  readonly content?: Content;
}
interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, DescribedResponse>> };
}
interface DescribedOperation {
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}

const fixtures = serviceFixtures()
  .filter(({ name }, index, all) => all.findIndex((other) => other.name === name) === index)
  .flatMap((fixture) => viewed(fixture));

function viewed(fixture: ServiceFixture) {
  // Descriptions are also generated for services that already have one.
  const { description: _, ...input } = inputOf(fixture);
  const { service } = checkSource(input);
  if (service === undefined) return [];
  const view = new ServiceView(service);
  const described = generateDescription(service.analysis.config, knownValues(service.analysis));
  return [{ ...fixture, view, described: described as unknown as Described, root: described }];
}

test('most fixtures are compared', () => {
  expect(fixtures.length).toBeGreaterThan(30);
});

describe.each(fixtures)('$name', ({ requests, description, view, described, root }) => {
  const operationIn = (operation: ViewedOperation): DescribedOperation => {
    const { method = '', path = '' } = operation.plan.endpoint ?? {};
    const key = Object.keys(described.paths).find((one) => pathShape(one) === pathShape(path)) ?? '';
    return described.paths[key]?.[method.toLowerCase()] ?? { responses: {} };
  };

  test('has the statuses of explain', () => {
    for (const operation of view.operations) {
      if (operation.plan.endpoint === undefined) continue;
      const { parameters, requestBody, responses } = operationIn(operation);
      // Without inputs, 400 is only possible for a malformed URL, which is not described for each operation.
      const hasInput = parameters !== undefined || requestBody !== undefined;
      const explained = explainOperation(operation, view).statuses.map(({ status }) => String(status));
      const expected = explained.filter((status) => hasInput || status !== '400' || status in responses);
      expect([operation.plan.name, ...Object.keys(responses)]).toEqual([operation.plan.name, ...expected]);
    }
  });

  const sent = requests.flatMap(({ name, request, status, response }) => {
    const operation = requestedOperation(request, view);
    // A 405 belongs to the path, not to an operation; 422 is only possible with a user-written description.
    const isOther = status === 405 || (status === 422 && description !== undefined);
    // The response has a parameter of a cast: with the description it is a number, in the response as well.
    const isConverted = request === 'GET /people/9' && description === undefined;
    return operation === undefined || response === undefined || isOther || isConverted
      ? []
      : [{ name, status, response, operation }];
  });
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(root, 'description');

  test.each(sent)('$status: $name', ({ status, response, operation }) => {
    const found = operationIn(operation).responses[status];
    const { content } = described.components.responses[found?.$ref?.split('/').at(-1) ?? ''] ?? found ?? {};
    const [[type, { schema }] = ['', { schema: {} }]] = Object.entries(content ?? {});
    expect(type).toMatch(/json$/);
    const rooted = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"description#/')) as object;
    const validate = ajv.compile(rooted);
    validate(response);
    expect(validate.errors ?? []).toEqual([]);
  });
});
