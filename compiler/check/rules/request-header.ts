/** Headers of requests and of REST datasources: who sets them, what they carry (decisions 6.1, 6.3). */
import { fitsHeader } from '../../../runtime/rest/header-text.js';
import type { Template } from '../../expression/ast.js';
import type { Located } from '../../source.js';
import type { Report } from '../../diagnostics/report.js';
import { isSecretHeader } from '../../diagnostics/secret-words.js';
import type { Rule } from '../rule.js';
import { requestsOf } from '../requests.js';

/** They describe the connection, or the body that is sent. */
const managed = new Set([
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

/** Clients keep headers in objects, and these names are taken there. */
const inherited = new Set(Object.getOwnPropertyNames(Object.prototype));

export const requestHeader: Rule = (config, report) => {
  for (const { header } of config.datasources) {
    checkNames(header, report, false);
    for (const { name, value } of header) checkCharacters(name, value.value, report);
  }
  for (const { request } of requestsOf(config)) {
    checkNames(request.header, report, request.fields.has('multipart'));
    for (const { name, value } of request.header) checkValue(name, value, report);
  }
};

interface Named {
  readonly name: Located<string>;
}

function checkNames(header: readonly Named[], report: Report, isMultipart: boolean): void {
  const seen = new Set<string>();
  for (const { name } of header) {
    const key = name.value.toLowerCase();
    if (managed.has(key) || (isMultipart && key === 'content-type'))
      report.add('managed-header', name.place, { name: name.value });
    else if (inherited.has(name.value)) report.add('header-name', name.place, { name: name.value });
    else if (seen.has(key)) report.add('duplicate-header', name.place, { name: name.value });
    seen.add(key);
  }
}

function checkValue(name: Located<string>, value: Template, report: Report): void {
  const constant = value.filter((part) => typeof part === 'string').join('');
  checkCharacters(name, constant, report);
  if (constant.includes('${')) report.add('reference-in-request', name.place, { name: name.value });
  else if (isSecret(name.value, value)) report.add('secret-in-request', name.place, { name: name.value });
}

function checkCharacters(name: Located<string>, constant: string, report: Report): void {
  if (!fitsHeader(constant)) report.add('header-characters', name.place, { name: name.value });
}

/** A constant behind the name of a secret; the scheme alone is none, as a placeholder may follow that could not be read. */
function isSecret(name: string, value: Template): boolean {
  if (!isSecretHeader(name) || !value.every((part) => typeof part === 'string')) return false;
  return !/^(?:basic|bearer|digest|token)?\s*$/i.test(value.join(''));
}
