/** Headers with a name that the objects of JavaScript have: clients keep headers in objects. */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const headerName = rule(
  {
    'header-name': error((p: { name: string }) => ({
      message: `A header cannot be named '${p.name}'.`,
      hint: 'Every object of JavaScript has something of this name, and the header would not be sent.',
    })),
  },
  ({ report }) => ({
    header: ({ fault, name }) => {
      if (fault === 'inherited') report('header-name', name.place, { name: name.value });
    },
  }),
);
