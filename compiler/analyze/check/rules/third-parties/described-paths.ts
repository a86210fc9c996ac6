/** Compares paths, methods and servers of requests with the third party's description. */
import { ordinaryError, warning } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import { quotedList } from '../../../../read/diagnostics/quoted-list.js';
import { partOf, type Span } from '../../../../read/source.js';
import { undescribedPath, undescribedPathWording } from '../../described-wording.js';
import { rule, ruleOfWhole } from '../../rule.js';

/** Reports paths and methods that the description does not contain. */
export const undescribedRequest = rule(
  {
    'undescribed-request': ordinaryError(
      {
        sent: 'text',
        datasource: 'text',
        methods: 'word',
        meant: { path: 'text', segment: { written: 'text', meant: 'text' } },
      },
      undescribedPathWording,
    ),
  },
  ({ analysis, report }) => ({
    request: (request, { datasource }) => {
      const sent = analysis.thirdParty(request, datasource);
      const { url, httpType } = request;
      if (sent === undefined || sent.endpoint !== undefined || url === undefined) return;
      const found = undescribedPath(sent, httpType.value, datasource.name.value, url.span);
      const segment = found.meant?.segment;
      const span =
        found.methods.length > 0 && !isEmptySpan(httpType.span)
          ? httpType.span
          : segment === undefined
            ? url.span
            : partOf(url.span, segment.written);
      report('undescribed-request', span, found);
    },
  }),
);

function isEmptySpan({ start, end }: Span): boolean {
  return start === end;
}

/** Reports datasource URLs that are not on a server of the description. */
export const otherServer = ruleOfWhole(
  {
    'other-server': warning(
      { datasource: 'text', basePaths: 'text' },
      (p: { datasource: string; basePaths: readonly string[] }) => ({
        message: `The url of '${p.datasource}' lacks the path ${quotedList(p.basePaths, ' or ')} of the servers in its description.`,
        hint: `Write ${p.basePaths[0] ?? ''} at the end of the url, or compare the versions of both.`,
      }),
    ),
  },
  ({ analysis, report }) => {
    const seen = new Set<string>();
    return {
      request: (request, { datasource, fulfillment }) => {
        const { name, url } = datasource;
        const sent = analysis.thirdParty(request, datasource);
        if (sent?.endpoint === undefined || sent.isBelowServer || url === undefined || seen.has(name.value))
          return;
        seen.add(name.value);
        report('other-server', fulfillment.datasource.span, {
          datasource: name.value,
          basePaths: sent.thirdParty.basePaths,
        });
      },
    };
  },
);
