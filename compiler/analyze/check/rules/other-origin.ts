/** URLs that lead to another host than that of their datasource, whose credentials stay behind (decisions 6.1). */
import type { Datasource } from '../../../read/config/config-model.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const otherOrigin = rule(
  {
    'other-origin': warning((p: { datasource: string; origin: string }) => ({
      message: `This URL has another host than datasource '${p.datasource}': its credentials and headers are not sent.`,
      hint: `Add a datasource with url: ${p.origin} and the credentials of that host, and write its name here.`,
    })),
  },
  ({ report }) => ({
    request: ({ url: written }, { url, datasource }) => {
      if (written === undefined || url === undefined || 'problem' in url || url.url.kind === 'whole') return;
      const { origin } = url.url;
      if (origin !== undefined && leadsElsewhere(origin, datasource))
        report('other-origin', written.span, { datasource: datasource.name.value, origin });
    },
  }),
);

/** Whether what the datasource sends with its own requests stays behind; an environment reference hides where that is. */
function leadsElsewhere(origin: string, { url, user, password, header }: Datasource): boolean {
  if (url === undefined || url.value.includes('${')) return false;
  if (user === undefined && password === undefined && header.length === 0) return false;
  const base = url.value.trim();
  return URL.canParse(base) && new URL(base).origin !== origin;
}
