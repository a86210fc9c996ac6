/** Every diagnostic there is: a wrong code or a missing parameter does not compile. */
import { authenticationEntries } from './catalogue/authentication-messages.js';
import { checkEntries } from './catalogue/check-messages.js';
import { configEntries } from './catalogue/config-messages.js';
import { expressionEntries } from './catalogue/expression-messages.js';
import { flowEntries } from './catalogue/flow-messages.js';
import { mappingEntries } from './catalogue/mapping-messages.js';
import { openapiEntries } from './catalogue/openapi-messages.js';
import { requestEntries } from './catalogue/request-messages.js';
import { sqlEntries } from './catalogue/sql-messages.js';
import { yamlEntries } from './catalogue/yaml-messages.js';

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
