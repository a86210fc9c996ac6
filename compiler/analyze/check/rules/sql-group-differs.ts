/** Expressions of a list that nearly equal one of GROUP BY: for PostgreSQL they are different. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { differingGroups } from '../../../read/sql/check/check-groups.js';
import { rule } from '../rule.js';

export const sqlGroupDiffers = rule(
  {
    'sql-group-differs': warning(() => ({
      message:
        'PostgreSQL does not recognise the expression of GROUP BY here: the value in it is another one.',
      hint: 'Write the same placeholder or value in both.',
    })),
  },
  ({ report }) => ({
    statement: (statement) => {
      for (const span of differingGroups(statement)) report('sql-group-differs', span);
    },
  }),
);
