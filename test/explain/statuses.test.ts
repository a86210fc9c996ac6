/** Every status that a running service sends in the fixtures is one that `apikiln explain` prints of the operation. */
import { describe, expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import { explainOperation } from '../../compiler/tools/explain/explain-operation.js';
import { ServiceView, type ViewedOperation } from '../../compiler/tools/explain/service-view.js';
import { inputOf, serviceFixtures } from '../helpers/service-fixture.js';

const fixtures = serviceFixtures().map((fixture) => {
  const { service } = checkSource(inputOf(fixture));
  if (service === undefined) throw new Error(`${fixture.name} has errors.`);
  return { ...fixture, view: new ServiceView(service) };
});

describe.each(fixtures)('$name on $database', ({ requests, view }) => {
  const answered = requests.flatMap(({ name, request, status }) => {
    const operation = operationOf(request, view);
    // That the path does not have a method is not a response of an operation.
    return operation === undefined || status === 405 ? [] : [{ name, status, operation }];
  });

  test('there are requests', () => {
    expect(answered.length).toBeGreaterThan(view.operations.some(({ plan }) => plan.endpoint) ? 0 : -1);
  });

  test.each(answered)('$status: $name', ({ status, operation }) => {
    const { statuses } = explainOperation(operation, view);
    expect(statuses.map((one) => one.status)).toContain(status);
  });
});

/** The one that the router chooses: a static path wins over one with a parameter. */
function operationOf(request: string, { operations }: ServiceView): ViewedOperation | undefined {
  const [method = '', target = ''] = request.split(' ');
  const [path = ''] = target.split('?');
  const found = operations.filter(({ plan: { endpoint } }) => {
    if (endpoint === undefined) return false;
    const isMethod = endpoint.method === method || (method === 'HEAD' && endpoint.method === 'GET');
    return isMethod && patternOf(endpoint.path).test(path);
  });
  const parameters = ({ plan }: ViewedOperation): number => plan.endpoint?.parameters.length ?? 0;
  return found.sort((a, b) => parameters(a) - parameters(b))[0];
}

function patternOf(path: string): RegExp {
  const parts = path.split(/\{[^{}]*\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^/]+')}$`);
}
