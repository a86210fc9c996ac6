/** The expected diagnostics of each class of errors; a class without diagnostics is listed as 'silent'. */
import type { Severity } from '../../../compiler/read/diagnostics/diagnostic.js';

/** The expected diagnostics of a class. */
export interface Reported {
  readonly severity: Severity;
  /** Each mutant has one of these codes. */
  readonly codes: readonly string[];
  /** Errors reported instead for some mutants, if an API description provides more information. */
  readonly errorsInstead?: readonly string[];
  /** Why some mutants are not reported: they are not errors, or nothing is certain. */
  readonly butNot?: string;
}

const warning = (...codes: string[]): Reported => ({ severity: 'warning', codes });
const error = (...codes: string[]): Reported => ({ severity: 'error', codes });

export const expected: Readonly<Record<string, Reported | 'silent'>> = {
  'misspelt column, the SQL lists its columns (A)': error('unknown-column'),
  'misspelt column of @ (A)': error('unknown-column'),
  'misspelt column (B)': error('unknown-column'),
  'misspelt column of a join (B)': error('unknown-column'),
  'PARAM misspelt that the path has': warning('unread-path-parameter', 'unknown-parameter'),
  'path parameter that nothing reads': {
    ...warning('unread-path-parameter'),
    errorsInstead: ['path-parameter-name'],
  },
  'field of BODY that the description does not have': error('unknown-request-field'),
  'PARAM misspelt, with a description': warning('unknown-parameter'),
  "field of a called operation's response misspelt": error('unknown-answer-field'),
  'parameter of a reference call misspelt': warning('unread-argument'),
  'declared parameter that nothing reads': warning('unread-parameter'),
  'declared body that nothing reads': warning('unread-body'),
  'BODY() in a GET': warning('body-of-get'),
  'the same if twice': warning('never-true'),
  'the same exception twice': {
    ...warning('never-true'),
    butNot: 'where the first one always fires, that is what is reported',
  },
  "response with another one's if": warning('never-true'),
  'comparison that never holds: SIZE(…) < INTEGER(0)': warning('never-true'),
  'comparison that always holds: SIZE(…) >= INTEGER(0)': warning('always-true'),
  'SIZE against a text': warning('never-true'),
  'order of null: PARAM(x) > NULL()': warning('never-true'),
  'list against a number': warning('never-true'),
  'bare number as condition': warning('never-true'),
  'bare list as condition': warning('never-true'),
  'constant condition': warning('never-true'),
  'both sides the same': warning('never-true'),
  'a && a': {
    ...warning('always-true'),
    butNot: 'where a always holds, the same is reported of it without the second',
  },
  'a == x && a == y': warning('never-true'),
  'constant loopbreak': warning('always-true'),
  'DELETE without WHERE': warning('sql-every-row'),
  'UPDATE without WHERE': warning('sql-every-row'),
  'READ that writes, with RETURNING': warning('sql-read-changes'),
  'UPDATE that only selects': {
    ...warning('sql-update-reads'),
    butNot: 'a function that is not known may change something',
  },
  'INSERT with a value too few': error('sql-insert-count'),
  'INSERT with a column too few': error('sql-insert-count'),
  'SQL keyword misspelt': {
    ...error('sql-misspelt-keyword'),
    butNot: 'where the misspelt word may be an alias, only a schema can tell',
  },
  'SELECT a, FROM': error('sql-unexpected'),
  'SQL parenthesis not closed': error('sql-parenthesis'),
  'placeholder [PARAM(x)]': error('sql-named-parameter'),
  'placeholder [param.x] (B)': error('sql-named-parameter'),
  'PARAM(x) bare in SQL': error('sql-named-parameter'),
  'param.x bare in SQL': error('sql-named-parameter'),
  'placeholder {{PARAM(x)}}': error('sql-named-parameter'),
  'placeholder ${PARAM(x)}': error('sql-named-parameter'),
  'placeholder : [PARAM(x)]': error('sql-named-parameter'),
  '{PARAM(x)} or PARAM(x) in a message': warning('bare-placeholder'),
  '{x} in the URL of a request': error('bare-placeholder-in-url'),
  '${VAR} in SQL': error('sql-named-parameter'),
  '${VAR} in a message': warning('bare-placeholder'),
  'URL with :PARAM(x)] or :)PARAM(x)]': error('bare-placeholder-in-url'),
  'result that nobody reads': warning('unread-result'),
  'unreachable instruction: the first one without if': warning('unreachable-instruction'),
  'LOOP read outside: VALUE(each, $.id)': error('result-of-loop'),
  'loop over a text': error('not-a-list'),
  'loop over SIZE': error('not-a-list'),
  'loop over LIST(0)': warning('empty-list'),
  'list: SIZE(…)': error('not-a-list'),
  'list: VALUE(rows, $[0])': warning('list-of-row'),
  'constant index': warning('constant-index'),
  'index that nobody reads': warning('unread-index'),
  'N+1: a READ with if in a LOOP over rows': warning('query-per-row'),
  'exception with status 200': {
    ...warning('exception-status'),
    butNot: 'before a change it may end the operation early, because nothing is left to do',
  },
  'default response 404': warning('default-status'),
  'empty message': error('empty-field'),
  'lis: or itme: for list and item': {
    ...warning('list-and-item'),
    // If the item reads its element, the mistake is certain.
    errorsInstead: ['unknown-field'],
  },
  'a third key in addition to list and item': {
    ...warning('list-and-item'),
    errorsInstead: ['element-outside-item'],
  },
  'schema leaf left empty (title:)': error('empty-leaf'),
  '{BODY()} without quotes': error('empty-leaf'),
  'READ with PUT or DELETE': warning('read-method'),
  'UPDATE with GET': {
    ...warning('update-method'),
    butNot: 'with values in its URL a GET may change something',
  },
  'unused datasource': {
    ...warning('unread-datasource'),
    butNot: 'where operations are timed, SCHEDULE_LEDGER may name any database',
  },
  'operation that nothing starts or calls': {
    ...warning('operation-never-called'),
    errorsInstead: ['mappings-without-endpoint', 'path-into-text'],
  },
  'name that looks like an endpoint and is none: GET|POST /x': error('near-endpoint'),
  'timed operation reads PARAM': warning('timed-parameter'),
  'two endpoints: /a and /a/': {
    ...warning('near-duplicate-endpoint'),
    errorsInstead: ['unknown-endpoint'],
  },
  'two endpoints: /News and /news': {
    ...warning('near-duplicate-endpoint'),
    errorsInstead: ['unknown-endpoint'],
  },
  'transaction: true around one READ': warning('useless-transaction'),
  'transaction: true around REST alone': warning('useless-transaction'),
  'GET that writes': { ...warning('get-changes-data'), errorsInstead: ['unknown-endpoint'] },
  'status that the description does not have': {
    ...warning('undescribed-status'),
    butNot: 'statuses of exceptions are not compared',
  },
  'field of a response that the description does not have': warning('undescribed-response-field'),
  'required field of a response missing': error('missing-response-field'),
  'value that the enum does not have': warning('never-true', 'always-true'),
  'two triggers with one cron': warning('same-schedule'),
  'two accounts of one user and password': warning('same-account'),
  'database URL without a database': warning('url-without-database'),
};
