/** The names of path parameters are the configuration's for PARAM, and the description's for whoever calls: they must agree. */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import { pathParameters } from '../../../read/openapi/match.js';
import { partOf } from '../../../read/source.js';
import { rule } from '../rule.js';

export const pathParameterName = rule(
  {
    'path-parameter-name': error(
      (p: { path: string; parameter: string; described: string; isUndeclared?: boolean }) =>
        p.isUndeclared === true
          ? {
              message: `Path parameter '${p.described}' is not in its path '${p.path}'.`,
              hint: `Write 'name: ${p.parameter}', or '{${p.described}}' in the path.`,
            }
          : {
              message: `Path parameter '${p.parameter}' is '${p.described}' in the API description ('${p.path}').`,
              hint: `Write '{${p.parameter}}' there too, or '{${p.described}}' here and PARAM(${p.described}).`,
            },
    ),
  },
  ({ report }) => ({
    operation: ({ name, endpoint }, { analyzed: { endpoint: match } }) => {
      if (endpoint === undefined || match === undefined) return;
      const described = pathParameters(match.path);
      for (const [index, parameter] of pathParameters(endpoint.path).entries()) {
        const other = described[index] ?? parameter;
        if (other === parameter) continue;
        report('path-parameter-name', partOf(name.span, `{${parameter}}`), {
          path: match.path,
          parameter,
          described: other,
        });
        return;
      }
      const declared = match.parameters.filter((one) => one.in === 'path');
      const undeclared = described.filter((name) => !declared.some((one) => one.name === name));
      const [stray] = declared.filter(({ name }) => !described.includes(name));
      const [parameter] = undeclared;
      // Others are declared beside those of the path, and are never used.
      if (stray !== undefined && parameter !== undefined)
        report('path-parameter-name', stray.span, {
          path: match.path,
          parameter: nearest(stray.name, undeclared) ?? parameter,
          described: stray.name,
          isUndeclared: true,
        });
    },
  }),
);
