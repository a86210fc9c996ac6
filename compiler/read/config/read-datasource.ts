/** Reads datasources: databases and third-party APIs. */
import { driverDialect, parseJdbcUrl } from './jdbc/jdbc-url.js';
import type { Report } from '../diagnostics/report.js';
import { nearest } from '../diagnostics/suggest.js';
import type { Span, ScalarText, WithSpan } from '../source.js';
import type { Dialect } from '../sql/dialect.js';
import { checkReferences, replaceReferences } from './environment-reference.js';
import { Fields, type OwnFields } from './fields.js';
import { resourceMap } from './resource-map.js';
import { parseExpression } from '../expression/parse/parse.js';
import {
  retriedFailures,
  type ContextSetting,
  type DatabaseDatasource,
  type Datasource,
  type DatasourceType,
  type Retry,
} from './config-model.js';
import { entryOf, isBroken, isEmpty, type Entry, type MapNode, type Node } from './yaml/node.js';
import { readLimit, readOAuth2, readSignature } from './rest/read-identity.js';
import { readHeader } from './read-header.js';
import { fieldTable } from './field-table.js';
import { datasourceFields } from './meant-fields.js';
import { syntaxOfText } from './syntax.js';
import { urlOptions } from './jdbc/jdbc-options.js';

const urlExamples: Readonly<Partial<Record<DatasourceType, string>>> = {
  rest: 'https://api.example.com',
  smtp: 'smtp://mail.example.com:587',
};

/** Required fields in addition to the type. */
const requiredFields: Readonly<Partial<Record<DatasourceType, readonly string[]>>> = {
  db: ['url'],
  smtp: ['url', 'from'],
};

const types = Object.keys(datasourceFields) as DatasourceType[];

/** The datasources by name, used by fulfillments. */
export interface DatasourceNames {
  readonly read: ReadonlyMap<string, Datasource>;
  /** All names, including unreadable datasources. */
  readonly written: ReadonlySet<string>;
  /** False if the section could not be read, so that other names may exist. */
  readonly isComplete: boolean;
  /** The spans at which fulfillments use a datasource, by name. */
  readonly uses: Map<string, Span[]>;
  /** The keys of the section, by datasource name. */
  readonly keys: ReadonlyMap<string, Span>;
}

/**
 * Reports unknown datasource names. If a name is used more than once and resembles an unused datasource, the misspelling is probably in the
 * datasource, and is reported there.
 */
export function reportUnknown({ written, isComplete, uses, keys }: DatasourceNames, report: Report): void {
  if (!isComplete) return;
  const unused = [...written].filter((name) => !uses.has(name));
  for (const [name, spans] of uses) {
    if (written.has(name)) continue;
    const key = keys.get(nearest(name, unused) ?? '');
    const near = nearest(name, written);
    if (spans.length > 1 && key !== undefined) {
      report.add('unused-datasource', key, {
        written: nearest(name, unused) ?? '',
        used: name,
        uses: spans,
      });
      continue;
    }
    for (const span of spans)
      report.add('unknown-datasource', span, { name, nearest: near, names: [...written] });
  }
}

export function readDatasource({ key, value }: Entry, report: Report): Datasource | undefined {
  const resource = `Datasource '${key.text.value}'`;
  const map = resourceMap({ key, value }, resource, report);
  if (map === undefined) return undefined;
  const meant = typeOfUrl(entryOf(map, 'url')?.value);
  const fields = new Fields(resource, map, fieldTable.datasource, report, ownFields(map, meant), key);
  const type = fields.word('type', types);
  if (type !== undefined && meant !== undefined && type.value !== meant)
    report.add('type-disagrees', type.span, { resource, written: type.value, meant });
  fields.require(['type', ...(type === undefined ? [] : (requiredFields[type.value] ?? []))], {
    type: meant ?? 'db or type: rest',
    url: urlExamples[meant ?? type?.value ?? 'db'],
  });
  const url = fields.textWithReferences('url');
  const kind = type && (meant ?? type.value);
  const base = {
    name: { value: key.text.value, span: key.span },
    url,
    user: fields.textWithReferences('user'),
    password: fields.textWithReferences('password'),
    timeout: readTimeout(fields),
    fields: fields.spans,
  };
  switch (kind) {
    case 'db': {
      const driver = fields.text('driver');
      return {
        ...base,
        type: kind,
        dialect: url && readDialect(url, driver, report),
        driver,
        pool: readPool(fields),
        context: readContext(fields),
        role: fields.text('role'),
      };
    }
    case 'rest': {
      const header = fields.has('header') ? readHeader(fields) : [];
      for (const { value } of header) checkReferences(value, report);
      return {
        ...base,
        type: kind,
        dialect: undefined,
        header,
        response: fields.word('response', ['json', 'text'] as const)?.value,
        retry: readRetry(fields),
        oauth2: readOAuth2(fields),
        signature: readSignature(fields),
        limit: readLimit(fields),
        description: fields.text('description'),
        outbox: fields.text('outbox'),
      };
    }
    case 'smtp':
      return {
        ...base,
        type: kind,
        dialect: undefined,
        from: fields.textWithReferences('from'),
        outbox: fields.text('outbox'),
      };
    case undefined:
      // Even without a `type`, a database URL shows the dialect, so SQL can be checked.
      return {
        ...base,
        type: kind,
        dialect:
          url?.value.startsWith('jdbc:') === true
            ? readDialect(url, fields.text('driver'), report)
            : undefined,
      };
  }
}

/** Reads the context settings, whose values are expressions in either syntax. */
function readContext(fields: Fields): readonly ContextSetting[] {
  const map = fields.mapping('context');
  if (map === undefined) return [];
  const syntax = syntaxOfText(map);
  const { report } = fields;
  return map.entries.map(({ key, value }) => {
    const name = { value: key.text.value, span: key.span };
    if (value.kind === 'scalar' && !isEmpty(value))
      return { name, syntax, value: parseExpression(value.text, { syntax }, report) };
    if (!isBroken(value))
      report.add('wrong-kind', isEmpty(value) ? key.span : value.span, {
        what: `'${name.value}' in 'context'`,
        expected: 'an expression',
        example: 'app.tenant: CALLER($.tenant)',
      });
    return { name, syntax, value: undefined };
  });
}

/** Seconds. Warns of large numbers, which are probably milliseconds. */
function readTimeout(fields: Fields): number | undefined {
  const timeout = fields.integer('timeout');
  if (timeout !== undefined && timeout.value >= 1000)
    fields.report.add('long-timeout', timeout.span, { seconds: timeout.value });
  return timeout?.value;
}

/** The type implied by the URL's scheme; undefined if unclear. */
function typeOfUrl(url: Node | undefined): DatasourceType | undefined {
  const written = url?.kind === 'scalar' ? url.text.value.trim() : '';
  if (/^(?:jdbc:|postgres(?:ql)?:|mysql:|mariadb:)/.test(written)) return 'db';
  if (/^smtps?:/.test(written)) return 'smtp';
  return /^https?:/.test(written) ? 'rest' : undefined;
}

/**
 * The fields of the datasource's type. If the URL shows that the type is wrong, the fields of the right type are used, to avoid further
 * diagnostics.
 */
function ownFields(map: MapNode, meant: DatasourceType | undefined): OwnFields | undefined {
  const written = entryOf(map, 'type')?.value;
  const name = written?.kind === 'scalar' ? written.text.value.toLowerCase() : '';
  const type = meant ?? types.find((one) => one === name);
  return type && { type, fields: datasourceFields[type] };
}

function readPool(datasource: Fields): DatabaseDatasource['pool'] {
  const fields = datasource.inside('pool', fieldTable.pool);
  const min = fields?.integer('min');
  const max = fields?.integer('max');
  if (min !== undefined && max !== undefined && min.value > max.value)
    datasource.report.add('pool-range', min.span, { min: min.value, max: max.value });
  return { min: min?.value, max: max?.value };
}

/** Reads `retry` of a datasource or request: undefined if missing, or if `times` is missing (reported). */
export function readRetry(owner: Fields): Retry | undefined {
  const fields = owner.inside('retry', fieldTable.retry);
  if (fields === undefined) return undefined;
  fields.require();
  const times = fields.integer('times');
  const outcomes = fields.node('on');
  const on = outcomes && readOutcomes(outcomes, fields);
  const wait = readPause('wait', fields);
  const maxWait = readPause('maxWait', fields);
  if (times === undefined) return undefined;
  return {
    times: times.value,
    on,
    wait: wait?.value,
    maxWait: maxWait?.value,
  };
}

/** Pauses (in seconds) from which milliseconds were probably meant. */
const longPauses = { wait: 100, maxWait: 1000 };

function readPause(field: 'wait' | 'maxWait', fields: Fields): WithSpan<number> | undefined {
  const pause = fields.number(field);
  if (pause !== undefined && pause.value >= longPauses[field])
    fields.report.add('long-wait', pause.span, { field, seconds: pause.value });
  return pause;
}

/** Reads a status or failure, or a list of them. */
function readOutcomes(node: Node, { report }: Fields): Retry['on'] {
  const items = node.kind === 'list' ? node.items : [node];
  return items.flatMap((item): NonNullable<Retry['on']> => {
    if (isBroken(item)) return [];
    const text = item.kind === 'scalar' ? item.text.value : '';
    const failure = retriedFailures.find((word) => word === text);
    if (failure !== undefined) return [failure];
    if (/^[1-5]\d\d$/.test(text)) return [Number(text)];
    report.add('wrong-kind', item.span, {
      what: "'on' of 'retry'",
      expected: `a status, ${retriedFailures.join(', ')}, or a list of them`,
      example: 'on: [429, 503, timeout]',
    });
    return [];
  });
}

/** The dialect according to the URL's scheme, or to the driver if the URL comes from the environment. Undefined after a reported error. */
function readDialect(url: ScalarText, driver: ScalarText | undefined, report: Report): Dialect | undefined {
  const ofDriver = driver && driverDialect(driver.value);
  if (driver !== undefined && ofDriver === undefined && !driver.value.includes('${')) {
    report.add('unknown-driver', driver.span, { driver: driver.value });
  }
  const { dialect: ofUrl, isWrong } = readUrl(url, report);
  if (ofUrl !== undefined && ofDriver !== undefined && ofUrl !== ofDriver && driver !== undefined) {
    report.add('driver-disagrees', driver.span, { driver: driver.value, dialect: dialectName(ofUrl) });
  }
  const dialect = ofUrl ?? ofDriver;
  if (dialect === undefined && !isWrong) report.add('unknown-dialect', url.span);
  return dialect;
}

/** The dialect is undefined if an environment reference hides the scheme, or if the URL does not name a database. */
function readUrl(url: ScalarText, report: Report): { dialect: Dialect | undefined; isWrong: boolean } {
  const written = url.value.trim();
  const resolved = replaceReferences(written, ({ text, fallback }) => fallback ?? text);
  const dialect = schemeDialect(resolved);
  if (resolved.includes('${')) return { dialect, isWrong: false };
  const [begin = '', jdbc, scheme] = /^(jdbc:)?(postgres|postgresql|mysql|mariadb):\/\//.exec(resolved) ?? [];
  if (scheme !== undefined && (jdbc === undefined || scheme === 'postgres')) {
    const problem = jdbc === undefined ? "it does not begin with 'jdbc:'" : "it begins with 'jdbc:postgres:'";
    const kind = scheme === 'postgres' ? 'postgresql' : scheme;
    const near = `jdbc:${kind}://`;
    const at = url.value.indexOf(begin);
    report.add('wrong-url', url.span, {
      ...{ problem, hint: `Write ${near} instead of ${begin}.` },
      ...(at === -1 ? {} : { near, scheme: url.spanOf(at, at + begin.length) }),
    });
    return { dialect: schemeDialect(`jdbc:${kind}:`), isWrong: true };
  }
  const { problems } = parseJdbcUrl(resolved);
  for (const { severity, message, hint } of problems) {
    const code = severity === 'error' ? 'wrong-url' : 'url-option';
    const meant = /^the option '([^']+)' is ignored$/.exec(message)?.[1];
    const near = meant === undefined ? undefined : nearest(meant, urlOptions);
    const span = message.startsWith('the port ') ? spanOfPort(url) : spanOfOption(url, message);
    const hintOfPort = message.startsWith('the port ')
      ? "Write one number after the host, such as host:5432. Percent-encode ':' and '@' in a user or password."
      : message.startsWith("missing '//'")
        ? resolved.replace(/^(jdbc:\w+:).*$/s, 'Write $1// instead of $1')
        : hint;
    report.add(code, span, { problem: message, hint: hintOfPort, near });
  }
  return { dialect, isWrong: problems.some(({ severity }) => severity === 'error') };
}

/** The span of the text after the colon that follows the host; otherwise of the whole URL. */
function spanOfPort(url: ScalarText): Span {
  const port = /^([^/]*\/\/(?:[^?]*@)?(?:\[[^\]]*\]|[^/?:@[]*):)([^/?]+)/g;
  for (const [written, before = ''] of url.value.includes('${') ? [] : url.value.matchAll(port))
    return url.spanOf(before.length, written.length);
  return url.span;
}

/** The span of the option named in the problem; otherwise of the whole URL. */
function spanOfOption(url: ScalarText, problem: string): Span {
  const name = /'([\w.]+)/.exec(problem)?.[1];
  const query = url.value.indexOf('?');
  if (name === undefined || query === -1) return url.span;
  const match = new RegExp(`[?&](${name.replaceAll('.', '\\.')})=`, 'i').exec(url.value.slice(query));
  if (match === null) return url.span;
  const start = query + match.index + 1;
  return url.spanOf(start, start + name.length);
}

function schemeDialect(url: string): Dialect | undefined {
  if (/^jdbc:postgresql:/i.test(url)) return 'postgresql';
  return /^jdbc:(?:mysql|mariadb):/i.test(url) ? 'mysql' : undefined;
}

function dialectName(dialect: Dialect): string {
  return dialect === 'postgresql' ? 'PostgreSQL' : 'MySQL or MariaDB';
}
