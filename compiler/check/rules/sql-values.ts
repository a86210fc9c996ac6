/** Values of SQL whose meaning depends on a type that neither the API description nor the SQL tells (decisions 11.1). */
import { allFulfillments } from '../../config/walk.js';
import { DeclaredValues } from '../../plan/declared-values.js';
import { kindOfValue } from '../../plan/kind-of-value.js';
import { checkValues } from '../../sql/check-values.js';
import type { Rule } from '../rule.js';

export const sqlValues: Rule = ({ operations }, report, description) => {
  const declared = new DeclaredValues(operations, description);
  for (const operation of operations) {
    for (const { fulfillment, loop } of allFulfillments(operation.fulfillments)) {
      if (fulfillment.type !== 'READ' && fulfillment.type !== 'UPDATE') continue;
      const around = loop?.type === 'LOOP' ? loop : undefined;
      for (const { action } of fulfillment.instructions) {
        if (action === undefined || 'kind' in action) continue;
        checkValues(action, (value) => kindOfValue(value, declared.of(value, operation, around)), report);
      }
    }
  }
};
