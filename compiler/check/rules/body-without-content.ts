/** A schema on a status whose answers never have a body. */
import { neverHasBody } from '../../config/status.js';
import type { Rule } from '../rule.js';

export const bodyWithoutContent: Rule = ({ operations }, report) => {
  for (const response of operations.flatMap((operation) => operation.responses)) {
    const status = response.statuscode.value;
    const schema = response.fields.get('schema');
    if (schema !== undefined && neverHasBody(status)) {
      report.add('body-without-content', schema, { status });
    }
  }
};
