/** URLs of requests: what is constant in them must be so, and lead somewhere (decisions 6.1, 6.2). */
import type { Datasource, Request } from '../../config/config-model.js';
import type { Report } from '../../diagnostics/report.js';
import { isSecretOption } from '../../diagnostics/secret-words.js';
import type { Template } from '../../expression/ast.js';
import { takeApart } from '../../request/url.js';
import type { Rule } from '../rule.js';
import { requestsOf } from '../requests.js';

export const requestUrl: Rule = (config, report) => {
  for (const { request, datasource } of requestsOf(config)) checkUrl(request, datasource, report);
};

function checkUrl({ url }: Request, datasource: Datasource, report: Report): void {
  // An empty template was not readable, which has been reported.
  if (url === undefined || (url.value.length === 0 && url.place.start < url.place.end)) return;
  const reading = takeApart(url.value, datasource.url !== undefined);
  if ('problem' in reading) {
    const { kind, problem, hint } = reading.problem;
    if (kind === 'origin') report.add('placeholder-in-origin', url.place);
    else if (kind === 'host') report.add('relative-url', url.place);
    else report.add('wrong-request-url', url.place, { problem, hint });
    return;
  }
  if (reading.hasFragment) report.add('url-fragment', url.place);
  const secrets = secretsIn(url.value);
  if (secrets.length > 0) report.add('secret-in-url', url.place, { names: secrets });
  if (reading.url.kind === 'whole') report.add('whole-url', url.place);
  else if (leadsElsewhere(reading.url.origin, datasource))
    report.add('other-origin', url.place, { datasource: datasource.name.value });
}

/** The names of the query parameters with a constant value that looks like a secret. */
function secretsIn(url: Template): string[] {
  const text = url.map((part) => (typeof part === 'string' ? part : '')).join('');
  const parameters = [...text.matchAll(/[?&]([^=&#]+)=[^&#]/g)].map(([, name = '']) => name);
  return parameters.filter((name) => isSecretOption(name));
}

/** Whether what the datasource sends with its own requests stays behind; an environment reference hides where that is. */
function leadsElsewhere(origin: string | undefined, { url, user, password, header }: Datasource): boolean {
  if (origin === undefined || url === undefined || url.value.includes('${')) return false;
  if (user === undefined && password === undefined && header.length === 0) return false;
  const base = url.value.trim();
  return URL.canParse(base) && new URL(base).origin !== origin;
}
