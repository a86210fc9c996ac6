/** Headers with a name that the objects of JavaScript have: clients keep headers in objects. */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const headerName = rule(
  {
    'header-name': error((p: { name: string }) => ({
      message: `A header cannot be named '${p.name}'.`,
      hint: 'Choose another name: this one is a property of every JavaScript object.',
    })),
  },
  ({ report }) => ({
    header: ({ problem, name }) => {
      if (problem === 'inherited') report('header-name', name.span, { name: name.value });
    },
  }),
);
