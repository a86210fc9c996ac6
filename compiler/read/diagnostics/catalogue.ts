/**
 * The diagnostics of reading and analyzing: a wrong code or a missing parameter does not compile. Diagnostics of checks are in the files of
 * their rules; `check/rule-list.ts` lists all rules.
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

/** The parameters of the wording of a code: empty, or one object. */
export type ParametersOf<C extends Code> = Parameters<(typeof catalogue)[C]['wordingOf']>;
