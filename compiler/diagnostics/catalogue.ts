/** Every diagnostic there is: a wrong code or a missing parameter does not compile. */
import { authenticationEntries } from './catalogue/authentication.js';
import { checkEntries } from './catalogue/check.js';
import { configEntries } from './catalogue/config.js';
import { expressionEntries } from './catalogue/expression.js';
import { flowEntries } from './catalogue/flow.js';
import { mappingEntries } from './catalogue/mapping.js';
import { openapiEntries } from './catalogue/openapi.js';
import { requestEntries } from './catalogue/request.js';
import { sqlEntries } from './catalogue/sql.js';
import { yamlEntries } from './catalogue/yaml.js';

export const catalogue = {
  ...yamlEntries,
  ...configEntries,
  ...checkEntries,
  ...authenticationEntries,
  ...flowEntries,
  ...expressionEntries,
  ...mappingEntries,
  ...requestEntries,
  ...sqlEntries,
  ...openapiEntries,
};

export type Code = keyof typeof catalogue;

/** The parameters that the wording of a code needs: none, or one object. */
export type ParametersOf<C extends Code> = Parameters<(typeof catalogue)[C]['say']>;
