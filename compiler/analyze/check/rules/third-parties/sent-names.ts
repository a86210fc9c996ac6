/** Names that a request sends, and those that the description of its third party requires (decisions 12.11). */
import type { Request } from '../../../../read/config/config-model.js';
import { ordinaryError, warning } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import type { ApiEndpoint, ApiSchema } from '../../../../read/openapi/api-model.js';
import { isIgnoredHeader } from '../../../../read/openapi/declared.js';
import { partOf, type Span } from '../../../../read/source.js';
import type { ThirdPartyRequest } from '../../../operations/third-party-request.js';
import { rule } from '../../rule.js';
import { undescribedNameWording } from '../../described-wording.js';
import { bodyProblems } from '../../sent-body.js';

/** Query parameters and properties of bodies that the description does not have. */
export const unknownInRequest = rule(
  { 'unknown-in-request': warning(undescribedNameWording) },
  ({ analysis, report }) => ({
    request: (request, site) => {
      const found = analysis.thirdParty(request, site.datasource);
      if (found?.endpoint === undefined || request.url === undefined) return;
      const datasource = site.datasource.name.value;
      const names = queryNames(found);
      const sent = sentQuery(request, found);
      const free = names.filter((name) => sent.every((one) => one.name !== name));
      for (const { name, span } of sent)
        if (!isKnownQuery(name, names))
          report('unknown-in-request', span, {
            ...{ name, datasource, names, free, what: 'query parameter', where: 'here' },
          });
      for (const problem of bodyProblems(request, found.endpoint, site))
        if (problem.kind === 'unknown')
          report('unknown-in-request', problem.span, {
            ...{ ...problem, datasource, what: 'property', where: 'here' },
          });
    },
  }),
);

interface Missing {
  readonly name: string;
  readonly datasource: string;
  /** `property`, `query parameter`, `header`. */
  readonly what: string;
  readonly line: string;
}

/** Required parts that are not sent. */
export const missingInRequest = rule(
  {
    'missing-in-request': ordinaryError((p: Missing) => ({
      message: `The description of '${p.datasource}' requires the ${p.what} '${p.name}', which is not sent.`,
      hint: `Write ${p.line}.`,
    })),
  },
  ({ analysis, report }) => ({
    request: (request, site) => {
      const { datasource } = site;
      const found = analysis.thirdParty(request, datasource);
      if (found?.endpoint === undefined || request.url === undefined) return;
      const named = { datasource: datasource.name.value };
      for (const { name, schema } of missingQuery(found))
        report('missing-in-request', request.url.span, {
          ...{ ...named, name, what: 'query parameter' },
          line: `?${name}=${exampleOf(schema) ?? ':[PARAM(…)]'} at the end of the URL, with & behind other parameters`,
        });
      const headers = new Set(
        [...request.header, ...datasource.header].map(({ name }) => name.value.toLowerCase()),
      );
      for (const { name, schema } of missingHeaders(found, headers))
        report('missing-in-request', request.url.span, {
          ...{ ...named, name, what: 'header' },
          line: `- "${name}: ${exampleOf(schema) ?? '…'}" below 'header' of the request or the datasource`,
        });
      for (const problem of bodyProblems(request, found.endpoint, site))
        if (problem.kind === 'missing')
          report('missing-in-request', problem.span, {
            ...{ ...named, name: problem.name, what: 'property' },
            line: `a line ${problem.name}: with its value`,
          });
      if (
        found.endpoint.body?.required === true &&
        request.body === undefined &&
        request.multipart.length === 0 &&
        request.bodyType === undefined
      )
        report('missing-in-request', request.fields.get('body') ?? request.url.span, {
          ...{ ...named, name: 'body', what: 'part' },
          line: "'body' of the request, with a schema",
        });
    },
  }),
);

function missingQuery({ endpoint, query, thirdParty }: ThirdPartyRequest): ApiEndpoint['parameters'] {
  if (query.some(({ name }) => name === undefined)) return [];
  const sent = new Set(query.flatMap(({ name = '' }) => [name, rootOf(name)]));
  const credentials = thirdParty.credentials.map(({ name }) => name);
  return (endpoint?.parameters ?? []).filter(
    ({ in: place, required, name, schema }) =>
      place === 'query' &&
      required &&
      !sent.has(name) &&
      !sent.has(rootOf(name)) &&
      !credentials.includes(name) &&
      schema?.default === undefined,
  );
}

function missingHeaders(
  { endpoint, thirdParty }: ThirdPartyRequest,
  sent: ReadonlySet<string>,
): ApiEndpoint['parameters'] {
  const credentials = thirdParty.credentials.map(({ name }) => name.toLowerCase());
  return (endpoint?.parameters ?? []).filter(
    ({ in: place, required, name }) =>
      place === 'header' &&
      required &&
      !isIgnoredHeader(name) &&
      !sent.has(name.toLowerCase()) &&
      !credentials.includes(name.toLowerCase()),
  );
}

/** A constant that the description names. */
function exampleOf(schema: ApiSchema | undefined): string | undefined {
  const [value] = schema?.enum ?? [];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** The names in its URL, and the one that its pages have. */
function sentQuery(
  { url, pages }: Request,
  { query }: ThirdPartyRequest,
): { readonly name: string; readonly span: Span }[] {
  const inUrl = query.flatMap(({ name }) =>
    name === undefined || url === undefined ? [] : [{ name, span: partOf(url.span, name) }],
  );
  const { parameter } = pages ?? {};
  return parameter === undefined ? inUrl : [...inUrl, { name: parameter.value, span: parameter.span }];
}

/** The names of the query parameters that it may have. */
function queryNames({ endpoint, thirdParty }: ThirdPartyRequest): string[] {
  const parameters = (endpoint?.parameters ?? []).filter((one) => one.in === 'query');
  const keys = thirdParty.credentials.filter((one) => one.in === 'query');
  return [...new Set([...parameters, ...keys].map(({ name }) => name))];
}

/** Lists and maps are written as `ids[]` and `created[from]`. */
function isKnownQuery(name: string, names: readonly string[]): boolean {
  return names.includes(name) || names.some((one) => rootOf(one) === rootOf(name));
}

function rootOf(name: string): string {
  return name.replace(/\[.*$/s, '');
}
