/** `@` where there is no current element (decisions 7.3). */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const elementOutsideItem = rule(
  {
    'element-outside-item': error(() => ({
      message: "'@' is only allowed inside a loop or under 'item'.",
      hint: "Write the key 'list' beside 'item': list: VALUE(news, $).",
      // One key that is missing or misspelt makes all of them wrong.
      subject: '@',
    })),
  },
  ({ report }) => ({
    element: ({ place }, { scope }) => {
      if (!scope.hasElement) report('element-outside-item', place);
    },
  }),
);
