/** Datasources: databases and third-party APIs (specification, Datasource; decisions 5.9 and 6.1). */
import { driverDialect, parseJdbcUrl } from '../../runtime/sql/jdbc-url.js';
import type { Report } from '../diagnostics/report.js';
import type { ScalarText } from '../source.js';
import type { Dialect } from '../sql/dialect.js';
import { Fields } from './fields.js';
import type { Datasource } from './model.js';
import type { Entry, MapNode } from './node.js';
import { readHeader } from './read-header.js';

const databaseFields = ['type', 'url', 'user', 'password', 'driver', 'pool', 'timeout'];
const restFields = ['type', 'url', 'user', 'password', 'header', 'timeout'];

export function readDatasource({ key, value }: Entry, report: Report): Datasource | undefined {
  const resource = `Datasource '${key.text.value}'`;
  if (value.kind !== 'map') {
    report.add('wrong-kind', value.place, {
      what: resource,
      expected: 'a map (lines of the form `key: value`)',
    });
    return undefined;
  }
  const fields = new Fields(resource, value, [...new Set([...databaseFields, ...restFields])], report);
  fields.require('type');
  const type = fields.word('type', ['db', 'rest'] as const);
  if (type !== undefined) rejectForeignFields(fields, type.value);
  const url = fields.text('url');
  const driver = fields.text('driver');
  if (type?.value === 'db') fields.require('url');
  return {
    name: { value: key.text.value, place: key.place },
    type: type?.value,
    dialect: type?.value === 'db' && url !== undefined ? readDialect(url, driver, report) : undefined,
    url,
    user: fields.text('user'),
    password: fields.text('password'),
    driver,
    header: fields.has('header') ? readHeader(fields) : [],
    pool: readPool(fields.mapping('pool'), resource, report),
    timeout: fields.integer('timeout', 1, 86_400)?.value,
    fields: fields.places,
  };
}

function rejectForeignFields(fields: Fields, type: 'db' | 'rest'): void {
  const own = type === 'db' ? databaseFields : restFields;
  for (const [field, place] of fields.places) {
    if (own.includes(field)) continue;
    fields.report.add('field-of-other-type', place, { resource: fields.resource, field, type, fields: own });
  }
}

function readPool(map: MapNode | undefined, resource: string, report: Report): Datasource['pool'] {
  if (map === undefined) return { min: undefined, max: undefined };
  const fields = new Fields(`'pool' of ${resource}`, map, ['min', 'max'], report);
  const min = fields.integer('min', 0, 1000);
  const max = fields.integer('max', 1, 1000);
  if (min !== undefined && max !== undefined && min.value > max.value) {
    report.add('pool-range', min.place, { min: min.value, max: max.value });
  }
  return { min: min?.value, max: max?.value };
}

/**
 * The database kind, from the URL's scheme, or from the driver where the URL comes from the environment.
 * Undefined after a reported mistake.
 */
function readDialect(url: ScalarText, driver: ScalarText | undefined, report: Report): Dialect | undefined {
  const ofDriver = driver && driverDialect(driver.value);
  if (driver !== undefined && ofDriver === undefined && !driver.value.includes('${')) {
    report.add('unknown-driver', driver.place, { driver: driver.value });
  }
  const ofUrl = readUrl(url, report);
  if (ofUrl === 'wrong') return undefined;
  if (ofUrl !== undefined && ofDriver !== undefined && ofUrl !== ofDriver && driver !== undefined) {
    report.add('driver-disagrees', driver.place, { driver: driver.value, dialect: dialectName(ofUrl) });
  }
  const dialect = ofUrl ?? ofDriver;
  if (dialect === undefined) report.add('unknown-dialect', url.place);
  return dialect;
}

/** Undefined where an environment reference hides the scheme; 'wrong' after a reported mistake. */
function readUrl(url: ScalarText, report: Report): Dialect | 'wrong' | undefined {
  const written = url.value.trim();
  const resolved = written.replaceAll(/\$\{[^}:]*:([^}]*)\}/g, '$1');
  if (resolved.includes('${')) return schemeDialect(resolved);
  const parsed = parseJdbcUrl(resolved);
  for (const problem of parsed.problems) {
    report.add(problem.severity === 'error' ? 'wrong-url' : 'url-option', url.place, {
      problem: problem.message,
      hint: problem.hint,
    });
  }
  return parsed.problems.some((problem) => problem.severity === 'error') ? 'wrong' : parsed.dialect;
}

function schemeDialect(url: string): Dialect | undefined {
  if (url.startsWith('jdbc:postgresql:')) return 'postgresql';
  return /^jdbc:(?:mysql|mariadb):/.test(url) ? 'mysql' : undefined;
}

export function dialectName(dialect: Dialect): string {
  return dialect === 'postgresql' ? 'PostgreSQL' : 'MySQL or MariaDB';
}
