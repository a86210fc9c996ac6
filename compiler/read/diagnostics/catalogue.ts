/**
 * The diagnostics of reading and analysis. An unknown code or a missing parameter fails to compile. Diagnostics of rules are defined in the
 * rule files; `check/rule-list.ts` lists all rules.
 */
import { commentEntries, configEntries, includeEntries } from './catalogue/config-messages.js';
import { expressionEntries } from './catalogue/expression-messages.js';
import { mappingEntries } from './catalogue/mapping-messages.js';
import { openapiEntries } from './catalogue/openapi-messages.js';
import { requestEntries } from './catalogue/request-messages.js';
import { sqlEntries } from './catalogue/sql-messages.js';
import { testEntries } from './catalogue/test-messages.js';
import { yamlEntries } from './catalogue/yaml-messages.js';

export const catalogue = {
  ...yamlEntries,
  ...commentEntries,
  ...configEntries,
  ...includeEntries,
  ...expressionEntries,
  ...mappingEntries,
  ...requestEntries,
  ...sqlEntries,
  ...openapiEntries,
  ...testEntries,
};

export type Code = keyof typeof catalogue;

/** The parameters of a code's wording: none, or a single object. */
export type ParametersOf<C extends Code> = Parameters<(typeof catalogue)[C]['wordingOf']>;
