/** Values that a request sends, beside the description of its third party (decisions 12.11). */
import type { Request } from '../../../../read/config/config-model.js';
import { ordinaryError } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import type { ApiBody } from '../../../../read/openapi/api-model.js';
import { partOf, type Span } from '../../../../read/source.js';
import type { ThirdPartyRequest } from '../../../operations/third-party-request.js';
import { rule } from '../../rule.js';
import { forbiddenValueWording } from '../../described-wording.js';
import { bodyProblems } from '../../sent-body.js';
import { textProblem, wrong, type SentProblem } from '../../sent-value.js';

/** Constants, and values of a known type, that the description does not allow. */
export const wrongInRequest = rule(
  { 'wrong-in-request': ordinaryError(forbiddenValueWording) },
  ({ analysis, report }) => ({
    request: (request, site) => {
      const found = analysis.thirdParty(request, site.datasource);
      if (found?.endpoint === undefined || request.url === undefined) return;
      const problems = [
        ...urlProblems(found, request.url.span),
        ...bodyProblems(request, found.endpoint, site),
        ...kindProblems(request, found.endpoint.body),
      ];
      for (const problem of problems)
        if (problem.kind === 'wrong')
          report('wrong-in-request', problem.span, { ...problem, datasource: site.datasource.name.value });
    },
  }),
);

/** Constant parts of the URL. */
function urlProblems({ endpoint, segments, query, path = '' }: ThirdPartyRequest, span: Span): SentProblem[] {
  const parameters = endpoint?.parameters ?? [];
  const inPath = path
    .split('/')
    .slice(-segments.length)
    .flatMap((described, index) => {
      const name = /^\{([^{}]*)\}$/.exec(described)?.[1];
      return name === undefined ? [] : [{ place: 'path', name, value: segments[index] }];
    });
  return [...inPath, ...query.map((one) => ({ place: 'query', ...one }))].flatMap(
    ({ place, name, value }): SentProblem[] => {
      const schema = parameters.find((one) => one.in === place && one.name === name)?.schema;
      const problem = schema === undefined || value === undefined ? undefined : textProblem(value, schema);
      if (schema === undefined || value === undefined || problem === undefined) return [];
      const whole = place === 'query' ? partOf(span, `${name ?? ''}=${value}`) : span;
      return [wrong(partOf(whole, value), problem, value, schema)];
    },
  );
}

/** A form where JSON is described, and the other way round. */
function kindProblems({ bodyType, fields }: Request, body: ApiBody | undefined): SentProblem[] {
  const span = fields.get('body');
  if (body === undefined || span === undefined || bodyType === undefined) return [];
  const isDescribed =
    bodyType === 'json' ? body.json !== undefined : body.form?.types.includes('urlencoded') === true;
  if (isDescribed || (body.json === undefined && body.form === undefined)) return [];
  const problem =
    bodyType === 'json'
      ? 'the body must be a form, and is sent as JSON'
      : 'the body must be JSON, and is sent as a form';
  return [{ kind: 'wrong', span, problem, written: undefined, allowed: [] }];
}
