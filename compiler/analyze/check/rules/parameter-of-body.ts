/** `PARAM(body.state)`: a parameter whose name begins as if it were the body of the request. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { declaredNames } from '../../../read/openapi/declared.js';
import { rule } from '../rule.js';

export const parameterOfBody = rule(
  {
    'parameter-of-body': warning((p: { name: string; instead: string }) => ({
      message: `'${p.name}' is read from the path and the query, and no body has it there: it is null unless the URL has a parameter of that name.`,
      hint: `Write ${p.instead} for the body of the request.`,
      instead: p.instead,
      isSuggestion: true,
    })),
  },
  ({ analysis, report }) => ({
    param: ({ name, path, span }, { operation, analyzed: { endpoint } }) => {
      if (operation.syntax !== 'A' || path.length > 0 || !/^body(?:\.[A-Za-z_]\w*)+$/.test(name)) return;
      // A caller may pass it under any name.
      if (analysis.called.has(operation.name.value)) return;
      const { description } = analysis;
      const declared =
        description === undefined || endpoint === undefined ? [] : declaredNames(endpoint, description);
      if (declared?.includes(name) === true) return;
      report('parameter-of-body', span, { name, instead: `BODY($${name.slice(4)})` });
    },
  }),
);
