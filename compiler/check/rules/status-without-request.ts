/** STATUS of a fulfillment that calls no third-party API (decisions 3.9). */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const statusWithoutRequest = rule(
  {
    'status-without-request': error((p: { name: string }) => ({
      message: `'${p.name}' has no HTTP status: it does not call a third-party API.`,
      hint: `Test the number of its rows: SIZE(VALUE(${p.name}, $)) == INTEGER(0).`,
    })),
  },
  ({ analysis, report }) => ({
    status: ({ name, namePlace }, { scope }) => {
      const fulfillment = scope.visible.get(name);
      if (fulfillment === undefined) return;
      /** What cannot be told has been reported elsewhere. */
      const mayHaveStatus =
        (fulfillment.type === 'READ' || fulfillment.type === 'UPDATE') &&
        analysis.datasource(fulfillment.datasource.value)?.type !== 'db';
      if (!mayHaveStatus) report('status-without-request', namePlace, { name });
    },
  }),
);
