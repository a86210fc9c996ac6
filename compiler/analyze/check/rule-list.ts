/** All rules: everything exported by the rule files. */
import type { Messages, Rule } from './rule.js';
import * as accounts from './rules/accounts.js';
import * as callers from './rules/callers.js';
import * as claimedResults from './rules/third-parties/claimed-results.js';
import * as comparedValues from './rules/conditions/compared-values.js';
import * as computedValues from './rules/computed-values.js';
import * as constantConditions from './rules/conditions/constant-conditions.js';
import * as datasourceUrls from './rules/datasource-urls.js';
import * as describedParameters from './rules/described-parameters.js';
import * as describedPaths from './rules/third-parties/described-paths.js';
import * as duplicateNames from './rules/duplicate-names.js';
import * as endpoints from './rules/endpoints.js';
import * as expressions from './rules/expressions.js';
import * as filters from './rules/filters.js';
import * as fulfillments from './rules/fulfillments.js';
import * as groups from './rules/sql/groups.js';
import * as guardedCasts from './rules/sql/guarded-casts.js';
import * as headers from './rules/headers.js';
import * as joins from './rules/joins.js';
import * as listOrders from './rules/list-orders.js';
import * as listPages from './rules/list-pages.js';
import * as keyJoins from './rules/sql/key-joins.js';
import * as idempotency from './rules/idempotency.js';
import * as limits from './rules/limits.js';
import * as lists from './rules/lists.js';
import * as loops from './rules/loops.js';
import * as mappings from './rules/mappings.js';
import * as rowIndexes from './rules/row-indexes.js';
import * as rowsInResponses from './rules/rows-in-responses.js';
import * as messages from './rules/third-parties/messages.js';
import * as outbox from './rules/third-parties/outbox.js';
import * as ownCode from './rules/own-code.js';
import * as pathParameters from './rules/path-parameters.js';
import * as references from './rules/references.js';
import * as requestBodies from './rules/request-bodies.js';
import * as requests from './rules/requests.js';
import * as responseTypes from './rules/response-types.js';
import * as responses from './rules/responses.js';
import * as schedules from './rules/schedules.js';
import * as sentRequests from './rules/third-parties/sent-requests.js';
import * as statements from './rules/sql/statements.js';
import * as statementValues from './rules/statement-values.js';
import * as tokens from './rules/tokens.js';
import * as unknownDigits from './rules/unknown-digits.js';
import * as together from './rules/third-parties/together.js';
import * as tools from './rules/tools.js';
import * as transactions from './rules/transactions.js';
import * as updates from './rules/updates.js';
import * as urls from './rules/urls.js';
import * as violations from './rules/violations.js';
import { sqlRules } from './sql/sql-rules.js';
import { catalogue } from '../../read/diagnostics/catalogue.js';

const topics: readonly Readonly<Record<string, Rule>>[] = [
  accounts,
  callers,
  claimedResults,
  comparedValues,
  computedValues,
  constantConditions,
  datasourceUrls,
  describedParameters,
  describedPaths,
  duplicateNames,
  endpoints,
  expressions,
  filters,
  fulfillments,
  groups,
  guardedCasts,
  headers,
  joins,
  keyJoins,
  idempotency,
  limits,
  listOrders,
  listPages,
  lists,
  loops,
  mappings,
  rowIndexes,
  rowsInResponses,
  messages,
  outbox,
  ownCode,
  pathParameters,
  references,
  requestBodies,
  requests,
  responseTypes,
  responses,
  schedules,
  sentRequests,
  statements,
  statementValues,
  tokens,
  together,
  tools,
  transactions,
  unknownDigits,
  updates,
  urls,
  violations,
];

export const rules: readonly Rule[] = topics.flatMap((topic) => Object.values(topic));

/** All diagnostics by code: those of reading and analysis, and those of rules. */
export const everyMessage: Messages = Object.assign(
  { ...catalogue },
  ...[...rules, ...sqlRules].map(({ messages }) => messages),
) as Messages;
