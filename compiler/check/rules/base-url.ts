/** The URL of a REST datasource, as far as it does not come from the environment (decisions 6.1). */
import { parseBaseUrl } from '../../../runtime/rest/base-url.js';
import type { Rule } from '../rule.js';

export const baseUrl: Rule = ({ datasources }, report) => {
  for (const { type, url } of datasources) {
    if (type !== 'rest' || url === undefined || url.value.includes('${')) continue;
    const base = parseBaseUrl(url.value);
    if (typeof base === 'string') report.add('wrong-base-url', url.place, { problem: base });
  }
};
