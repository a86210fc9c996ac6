/** The symbols of the runtime that generated code may use: one that does not exist there does not compile here. */
import type * as handlerSymbols from '../../runtime/index.js';
import type * as basicAuthSymbols from '../../runtime/http/basic-auth.js';
import type * as readFormSymbols from '../../runtime/uploads/read-form.js';
import type * as answerSymbols from '../../runtime/rest/answer.js';
import type * as headerValueSymbols from '../../runtime/rest/header-value.js';
import type * as restSymbols from '../../runtime/rest/rest.js';
import type * as urlValueSymbols from '../../runtime/rest/url-values.js';
import type * as routerSymbols from '../../runtime/http/router.js';
import type * as scheduleSymbols from '../../runtime/schedule/schedule.js';
import type * as momentSymbols from '../../runtime/mysql/moment.js';
import type * as mysqlSymbols from '../../runtime/mysql/mysql.js';
import type * as mysqlNumberSymbols from '../../runtime/mysql/number.js';
import type * as postgresSymbols from '../../runtime/postgres/postgres.js';
import type * as readsAheadSymbols from '../../runtime/sql/reads-ahead.js';
import type * as rowCountSymbols from '../../runtime/mysql/row-count.js';
import type * as sqlSymbols from '../../runtime/sql/sql.js';
import type * as transactionSymbols from '../../runtime/sql/transaction.js';
import type * as tracedSymbols from '../../runtime/trace/traced.js';
import type * as tracedDatabaseSymbols from '../../runtime/trace/traced-database.js';
import type * as tracedRestSymbols from '../../runtime/trace/traced-rest.js';

/** Symbols by the path of their module below the runtime folder. */
const symbols = {
  index: [
    'IndexedResults',
    'concurrently',
    'elements',
    'equal',
    'every',
    'fail',
    'first',
    'firstInTurns',
    'flatMapInTurns',
    'get',
    'greater',
    'greaterOrEqual',
    'groupBy',
    'inTurns',
    'isTrue',
    'less',
    'lessOrEqual',
    'list',
    'mapInTurns',
    'orNull',
    'refer',
    'reply',
    'size',
    'textOf',
  ] satisfies (keyof typeof handlerSymbols)[],
  schedule: ['createSchedule'] satisfies (keyof typeof scheduleSymbols)[],
  'http/basic-auth': ['basicAuth'] satisfies (keyof typeof basicAuthSymbols)[],
  'http/router': ['createRouter'] satisfies (keyof typeof routerSymbols)[],
  'http/read-form': ['readForm'] satisfies (keyof typeof readFormSymbols)[],
  'rest/answer': ['noAnswer'] satisfies (keyof typeof answerSymbols)[],
  'rest/header-value': ['headerValue'] satisfies (keyof typeof headerValueSymbols)[],
  'rest/rest': ['rest'] satisfies (keyof typeof restSymbols)[],
  'rest/url-values': ['encode', 'segment', 'wholeUrl'] satisfies (keyof typeof urlValueSymbols)[],
  'sql/moment': ['moment', 'moments'] satisfies (keyof typeof momentSymbols)[],
  'sql/mysql': ['mysql'] satisfies (keyof typeof mysqlSymbols)[],
  'sql/mysql-number': ['jsonText', 'numeric', 'typed'] satisfies (keyof typeof mysqlNumberSymbols)[],
  'sql/postgres': ['postgres'] satisfies (keyof typeof postgresSymbols)[],
  'sql/reads-ahead': ['startEach'] satisfies (keyof typeof readsAheadSymbols)[],
  'sql/row-count': ['limit', 'offset'] satisfies (keyof typeof rowCountSymbols)[],
  'sql/transaction': ['inTransaction'] satisfies (keyof typeof transactionSymbols)[],
  'trace/traced': ['traced'] satisfies (keyof typeof tracedSymbols)[],
  'trace/traced-database': ['tracedDatabase'] satisfies (keyof typeof tracedDatabaseSymbols)[],
  'trace/traced-rest': ['tracedRest'] satisfies (keyof typeof tracedRestSymbols)[],
  'sql/sql': ['inList', 'more', 'notInList', 'sql', 'value'] satisfies (keyof typeof sqlSymbols)[],
};

/** Types that generated code names, by the path of their module. */
const typesByModule = { index: ['Call', 'Json', 'Reply', 'Row'], 'rest/answer': ['Answer'] } as const;
const types = Object.values(typesByModule).flat();

export type RuntimeValue = (typeof symbols)[keyof typeof symbols][number];
export type RuntimeType = (typeof types)[number];

const moduleOfSymbol = new Map<string, string>(
  [...Object.entries(symbols), ...Object.entries(typesByModule)].flatMap(([module, names]) =>
    names.map((name): [string, string] => [name, module]),
  ),
);

export function moduleOf(symbol: RuntimeValue | RuntimeType): string {
  const module = moduleOfSymbol.get(symbol);
  if (module === undefined) throw new Error(`No module has '${symbol}'.`);
  return module;
}

export function isType(symbol: RuntimeValue | RuntimeType): boolean {
  return types.some((type) => type === symbol);
}

/** Every name that a module may import from the runtime: variables must not hide them. */
export const runtimeNames: readonly string[] = [...moduleOfSymbol.keys()];
