/** Compares the content of requests with the third party's description. */
import { ordinaryError, warning } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import { forbiddenValueWording, undescribedNameWording } from '../../described-wording.js';
import { rule } from '../../rule.js';
import { missingParts, unknownParts, wrongValues, type MissingPart } from '../../sent-request.js';

/** Reports query parameters and body properties that the description does not contain. */
export const unknownInRequest = rule(
  {
    'unknown-in-request': warning(
      { name: 'text', datasource: 'text', what: 'word', where: 'word', names: 'text', free: 'text' },
      undescribedNameWording,
    ),
  },
  ({ analysis, report }) => ({
    request: (request, site) => {
      const found = analysis.thirdParty(request, site.datasource);
      if (found === undefined) return;
      const datasource = site.datasource.name.value;
      for (const part of unknownParts(request, found, site))
        report('unknown-in-request', part.span, { ...part, datasource, where: 'here' });
    },
  }),
);

/** Reports required parts that are not sent. */
export const missingInRequest = rule(
  {
    'missing-in-request': ordinaryError(
      { name: 'text', what: 'sentence', line: 'text', datasource: 'text' },
      (p: Omit<MissingPart, 'span'> & { datasource: string }) => ({
        message: `The description of '${p.datasource}' requires the ${p.what} '${p.name}', which is not sent.`,
        hint: `Write ${p.line}.`,
      }),
    ),
  },
  ({ analysis, report }) => ({
    request: (request, site) => {
      const found = analysis.thirdParty(request, site.datasource);
      if (found === undefined) return;
      const datasource = site.datasource.name.value;
      for (const { span, what, name, line } of missingParts(request, found, site))
        report('missing-in-request', span, { datasource, what, name, line });
    },
  }),
);

/** Reports constants, and values of a known type, that the description does not allow. */
export const wrongInRequest = rule(
  {
    'wrong-in-request': ordinaryError(
      { datasource: 'text', problem: 'sentence', written: 'text', allowed: 'text' },
      forbiddenValueWording,
    ),
  },
  ({ analysis, report }) => ({
    request: (request, site) => {
      const found = analysis.thirdParty(request, site.datasource);
      if (found === undefined) return;
      const datasource = site.datasource.name.value;
      for (const value of wrongValues(request, found, site))
        report('wrong-in-request', value.span, { ...value, datasource });
    },
  }),
);
