/** `@` where there is no current element (decisions 7.3). */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const elementOutsideItem = rule(
  {
    'element-outside-item': error(() => ({
      message: "'@' is used outside of a list.",
      hint: "'@' is the current element inside a loop, and inside 'item' of a map with exactly the keys 'list' and 'item'.",
    })),
  },
  ({ report }) => ({
    element: ({ place }, { scope }) => {
      if (!scope.hasElement) report('element-outside-item', place);
    },
  }),
);
