/** `@` where there is no current element (decisions 7.3). */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const elementOutsideItem = rule(
  {
    'element-outside-item': error(() => ({
      message: "'@' is the current element of a list, and here is none.",
      hint: "'@' can be used inside a loop, and inside the 'item' of a map that has the keys 'list' and 'item' and no others.",
    })),
  },
  ({ report }) => ({
    element: ({ place }, { scope }) => {
      if (!scope.hasElement) report('element-outside-item', place);
    },
  }),
);
