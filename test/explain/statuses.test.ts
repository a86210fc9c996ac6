/** Every status sent by the running services of the fixtures is among those printed by `apikiln explain` for the operation. */
import { describe, expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import { nodesOf } from '../../compiler/read/config/walk.js';
import { explainOperation } from '../../compiler/tools/explain/explain-operation.js';
import { allSteps, ServiceView, type ViewedOperation } from '../../compiler/tools/explain/service-view.js';
import { requestedOperation } from '../helpers/requested-operation.js';
import { inputOf, serviceFixtures } from '../helpers/service-fixture.js';

function runsOwnCode(operation: ViewedOperation): boolean {
  const calls = nodesOf(operation.checked.operation).some(({ kind }) => kind === 'code');
  return calls || allSteps(operation).some(({ viewed }) => viewed.kind === 'code');
}

const fixtures = serviceFixtures().map((fixture) => {
  const { service } = checkSource(inputOf(fixture));
  if (service === undefined) throw new Error(`${fixture.name} has errors.`);
  return { ...fixture, view: new ServiceView(service) };
});

describe.each(fixtures)('$name on $database', ({ requests, view }) => {
  const answered = requests.flatMap(({ name, request, status }) => {
    const operation = requestedOperation(request, view);
    // A 405 belongs to the path, not to an operation.
    return operation === undefined || status === 405 ? [] : [{ name, status, operation }];
  });

  test('there are requests', () => {
    expect(answered.length).toBeGreaterThan(view.operations.some(({ plan }) => plan.endpoint) ? 0 : -1);
  });

  test.each(answered)('$status: $name', ({ status, operation }) => {
    const { statuses } = explainOperation(operation, view);
    const explained = statuses.map((one) => one.status);
    // With `fail(…)`, user code can send any status.
    if (runsOwnCode(operation)) expect(explained).toContain(500);
    else expect(explained).toContain(status);
  });
});
