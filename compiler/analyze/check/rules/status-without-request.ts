/** STATUS of a fulfillment that calls no third-party API (decisions 3.9). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const statusWithoutRequest = rule(
  {
    'status-without-request': error((p: { name: string; test: string }) => ({
      message: `'${p.name}' has no HTTP status: it does not call a third-party API.`,
      hint: `Write ${p.test} to test that ${p.test.startsWith('SIZE') ? 'it has no rows' : 'it changed no rows'}.`,
    })),
  },
  ({ analysis, report }) => ({
    status: ({ name, nameSpan }, { scope }) => {
      const fulfillment = scope.visible.get(name);
      if (fulfillment === undefined) return;
      /** An unknown result has been reported elsewhere. */
      const mayHaveStatus =
        (fulfillment.type === 'READ' || fulfillment.type === 'UPDATE') &&
        analysis.datasource(fulfillment.datasource.value)?.type !== 'db';
      if (mayHaveStatus) return;
      const isChange =
        fulfillment.type === 'UPDATE' &&
        analysis.datasource(fulfillment.datasource.value)?.dialect === 'mysql';
      const test = isChange
        ? `VALUE(${name}, $.affected_rows) == INTEGER(0)`
        : `SIZE(VALUE(${name}, $)) == INTEGER(0)`;
      report('status-without-request', nameSpan, { name, test });
    },
  }),
);
