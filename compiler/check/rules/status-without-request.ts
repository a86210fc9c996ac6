/** STATUS of a fulfillment that calls no third-party API (decisions 3.9). */
import type { Fulfillment } from '../../config/config-model.js';
import { walkOperation } from '../../config/walk.js';
import { visit } from '../../expression/visit.js';
import type { Rule } from '../rule.js';

export const statusWithoutRequest: Rule = ({ operations, datasources }, report) => {
  const types = new Map(datasources.map(({ name, type }) => [name.value, type]));
  /** What cannot be told has been reported elsewhere. */
  const mayHaveStatus = (fulfillment: Fulfillment): boolean =>
    (fulfillment.type === 'READ' || fulfillment.type === 'UPDATE') &&
    types.get(fulfillment.datasource.value) !== 'db';

  for (const operation of operations) {
    walkOperation(operation, (expression, { visible }) => {
      visit(expression, (node) => {
        const fulfillment = node.kind === 'status' ? visible.get(node.name) : undefined;
        if (node.kind === 'status' && fulfillment !== undefined && !mayHaveStatus(fulfillment))
          report.add('status-without-request', node.namePlace, { name: node.name });
      });
    });
  }
};
