/** Random services: each operation can be explained, audited and compared, and does not differ from itself. */
import { describe, expect, test } from 'vitest';
import { auditService } from '../../compiler/tools/audit/audit-service.js';
import { printRisks } from '../../compiler/tools/audit/print-risks.js';
import type { CheckedService } from '../../compiler/analyze/check/checked.js';
import { checkSource } from '../../compiler/compile.js';
import { generatedDescription } from '../../compiler/analyze/describe/read-generated.js';
import { compareServices } from '../../compiler/tools/diff/compare-services.js';
import { explainOperation } from '../../compiler/tools/explain/explain-operation.js';
import { printMermaid } from '../../compiler/tools/explain/mermaid.js';
import { printExplanation } from '../../compiler/tools/explain/print-explanation.js';
import { ServiceView } from '../../compiler/tools/explain/service-view.js';
import { configOf, descriptionOf } from '../interpreter/print.js';
import { randomService } from '../interpreter/random-service.js';

const count = process.env['MANY_RUNS'] === '1' ? 1000 : 60;

/** Undefined for services with errors: some read nonexistent columns. */
function serviceOf(number: number): CheckedService | undefined {
  const service = randomService(number, number);
  const description = {
    source: { path: 'openapi.json', text: JSON.stringify(descriptionOf([service])) },
    read: () => undefined,
  };
  return checkSource({
    config: { path: 'config.yaml', text: JSON.stringify(configOf([service])) },
    ...(service.isDescribed ? { description } : {}),
  }).service;
}

const services: (readonly [number, CheckedService])[] = [];
for (let number = 1; services.length < count; number += 1) {
  const service = serviceOf(number);
  if (service !== undefined) services.push([number, service]);
}

describe.each(services)('random service %i', (_, service) => {
  test('is explained, reviewed and compared', () => {
    const view = new ServiceView(service);
    // A fulfillment may be named `undefined`.
    const isName = JSON.stringify(view.operations.map(({ plan: { steps } }) => steps)).includes('undefined');
    const mistakes = isName ? /NaN|\[object/ : /undefined|NaN|\[object/;
    for (const operation of view.operations) {
      const explanation = explainOperation(operation, view);
      expect(printExplanation(explanation)).not.toMatch(mistakes);
      expect(printMermaid(explanation)).toMatch(/^flowchart TD\n/);
      const statuses = explanation.statuses.map(({ status }) => status);
      expect(statuses).toEqual([...new Set(statuses)].sort((a, b) => a - b));
      for (const { status } of operation.plan.responses) expect(statuses).toContain(status);
    }
    expect(printRisks(auditService(view), 0)).not.toMatch(mistakes);
    const side = { view, generated: generatedDescription(service.analysis.config) };
    expect(compareServices(side, side)).toEqual({
      breaking: [],
      compatible: [],
      thirdParties: [],
      sent: [],
    });
  });
});
