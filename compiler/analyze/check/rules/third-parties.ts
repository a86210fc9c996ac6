/** Requests beside the description of their third party (decisions 12.11). */
import type { Request, Schema, SchemaField } from '../../../read/config/config-model.js';
import { ordinaryError, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';
import { isUnambiguous, nearest } from '../../../read/diagnostics/suggest.js';
import type { ApiBody, ApiEndpoint, ApiSchema } from '../../../read/openapi/api-model.js';
import { isIgnoredHeader } from '../../../read/openapi/declared.js';
import type { Expression, Path } from '../../../read/expression/ast.js';
import { visit } from '../../../read/expression/visit.js';
import { partOf, type Span } from '../../../read/source.js';
import { meantPath, type ThirdPartyRequest } from '../../operations/third-party-request.js';
import type { Analysis } from '../../operations/analysis.js';
import type { AnalyzedOperation } from '../../operations/analyzed-operation.js';
import { describedType } from '../../types/described-type.js';
import { typeAt, typeOf } from '../../types/infer.js';
import { missingField } from '../../types/missing-field.js';
import { readOf, spanOfStep } from '../read-path.js';
import type { ValueType } from '../../types/value-type.js';
import { named, problemsOf, textProblem, wrong, type SentProblem } from '../sent-value.js';
import { rule, ruleOfWhole, type RequestSite } from '../rule.js';

/** Paths and methods that the description does not have. */
export const undescribedRequest = rule(
  {
    'undescribed-request': ordinaryError(
      (p: {
        sent: string;
        datasource: string;
        methods: readonly string[];
        meant: ReturnType<typeof meantPath>;
        span: Span;
      }) => ({
        message: `The description of '${p.datasource}' has no ${p.sent}.`,
        ...(p.methods.length > 0
          ? { hint: `Write ${p.methods.join(' or ')}: these are the methods of this path.` }
          : p.meant === undefined
            ? { hint: 'Compare the path with the description, or remove the description.' }
            : { hint: `Did you mean '${p.meant.path}'?` }),
        ...(p.methods.length === 0 &&
          p.meant?.segment && {
            instead: p.meant.segment.meant,
            insteadOf: partOf(p.span, p.meant.segment.written),
            isSuggestion: true,
          }),
      }),
    ),
  },
  ({ analysis, report }) => ({
    request: (request, { datasource }) => {
      const sent = analysis.thirdParty(request, datasource);
      const { url, httpType } = request;
      if (sent === undefined || sent.endpoint !== undefined || url === undefined) return;
      const { path, thirdParty } = sent;
      const methods = path === undefined ? [] : thirdParty.endpoints(path).map(({ method }) => method);
      const meant = path === undefined ? meantPath(sent, nearest) : undefined;
      const segment = meant?.segment;
      const span =
        methods.length > 0 && !isEmptySpan(httpType.span)
          ? httpType.span
          : segment === undefined
            ? url.span
            : partOf(url.span, segment.written);
      report('undescribed-request', span, {
        ...{ sent: `${httpType.value} ${path ?? shownPath(sent)}`, datasource: datasource.name.value },
        ...{ methods, meant, span: url.span },
      });
    },
  }),
);

function isEmptySpan({ start, end }: Span): boolean {
  return start === end;
}

function shownPath({ segments }: ThirdPartyRequest): string {
  return `/${segments.map((segment) => segment ?? '…').join('/')}`;
}

/** URLs of datasources that are not those of a server of the description. */
export const otherServer = ruleOfWhole(
  {
    'other-server': warning((p: { datasource: string; basePaths: readonly string[] }) => ({
      message: `The url of '${p.datasource}' is not below ${quotedList(p.basePaths)}, as the servers of its description are.`,
      hint: `Write ${p.basePaths[0] ?? ''} at the end of the url, or compare the versions of both.`,
    })),
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

interface Named {
  readonly name: string;
  readonly datasource: string;
  /** `property`, `query parameter`, `header`. */
  readonly what: string;
}

/** Query parameters and properties of bodies that the description does not have. */
export const unknownInRequest = rule(
  {
    'unknown-in-request': warning((p: Named & { names: readonly string[]; free: readonly string[] }) => {
      const meant = nearest(p.name, p.free);
      const list =
        p.names.length === 0
          ? 'It has none.'
          : `Its ${plural(p.what)} are ${quotedList(p.names.slice(0, 12))}${p.names.length > 12 ? ', …' : '.'}`;
      return {
        message: `The description of '${p.datasource}' has no ${p.what} '${p.name}' here.`,
        hint: meant === undefined ? list : `Did you mean '${meant}'? ${list}`,
        ...(meant !== undefined && { instead: meant, isSuggestion: !isUnambiguous(p.name, p.free) }),
      };
    }),
  },
  ({ analysis, report }) => ({
    request: (request, site) => {
      const found = analysis.thirdParty(request, site.datasource);
      if (found?.endpoint === undefined || request.url === undefined) return;
      const datasource = site.datasource.name.value;
      const { span } = request.url;
      const names = queryNames(found);
      const free = names.filter((name) => found.query.every((sent) => sent.name !== name));
      for (const { name } of found.query)
        if (name !== undefined && !isKnownQuery(name, names))
          report('unknown-in-request', partOf(span, name), {
            ...{ name, datasource, names, free, what: 'query parameter' },
          });
      for (const problem of bodyProblems(request, found.endpoint, site))
        if (problem.kind === 'unknown')
          report('unknown-in-request', problem.span, {
            ...{ ...problem, datasource, what: 'property' },
          });
    },
  }),
);

function plural(what: string): string {
  return what === 'property' ? 'properties' : `${what}s`;
}

/** Required parts that are not sent. */
export const missingInRequest = rule(
  {
    'missing-in-request': ordinaryError((p: Named & { line: string }) => ({
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

/** Constants, and values of a known type, that the description does not allow. */
export const wrongInRequest = rule(
  {
    'wrong-in-request': ordinaryError(
      (p: {
        datasource: string;
        problem: string;
        written: string | undefined;
        allowed: readonly string[];
        span: Span;
      }) => {
        const meant = p.written === undefined ? undefined : nearest(p.written, p.allowed);
        return {
          message: `The description of '${p.datasource}' forbids this value: ${p.problem}.`,
          hint:
            meant === undefined
              ? p.allowed.length > 0
                ? `Write one of ${quotedList(p.allowed.slice(0, 12))}.`
                : 'Write a value that it allows.'
              : `Did you mean '${meant}'?`,
          ...(meant !== undefined &&
            p.written !== undefined && {
              instead: meant,
              insteadOf: partOf(p.span, p.written),
              isSuggestion: !isUnambiguous(p.written, p.allowed),
            }),
        };
      },
    ),
  },
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

function bodyProblems(
  { body, bodyType, multipart, fields }: Request,
  endpoint: ApiEndpoint,
  { analyzed }: Pick<RequestSite, 'analyzed'>,
): SentProblem[] {
  const { json, form } = endpoint.body ?? {};
  const typeOf = (schema: Schema): ValueType | undefined => analyzed.flow.built.get(schema);
  const span = fields.get('body');
  if (body !== undefined && span !== undefined) {
    const isText = bodyType === 'form';
    const described = isText ? form?.schema : json;
    return described === undefined ? [] : problemsOf(body, described, span, { isText, typeOf });
  }
  const parts = fields.get('multipart');
  if (parts === undefined || form === undefined) return [];
  const sent = multipart.map(({ name, value }): SchemaField => ({
    key: name.value,
    span: name.span,
    value: { kind: 'leaf', value },
  }));
  return problemsOf({ kind: 'object', fields: sent }, form.schema, parts, { isText: true, typeOf });
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

/** Paths into results, and constants beside them, that the description does not have. */
export const undescribedResult = rule(
  {
    'undescribed-result': warning((p: { name: string; datasource: string; names: readonly string[] }) => {
      const meant = nearest(p.name, p.names);
      const list = `Its fields are ${quotedList(p.names.slice(0, 12))}${p.names.length > 12 ? ', …' : '.'}`;
      return {
        message: `The description of '${p.datasource}' has no field '${p.name}' in this result.`,
        hint: meant === undefined ? list : `Did you mean '${meant}'? ${list}`,
        ...(meant !== undefined && { instead: meant, isSuggestion: !isUnambiguous(p.name, p.names) }),
      };
    }),
    'undescribed-value': warning(
      (p: { written: string; datasource: string; words: readonly string[]; kinds: string; span: Span }) => {
        const meant = nearest(p.written, p.words);
        return {
          message: `By the description of '${p.datasource}' this value is never ${p.written}.`,
          hint:
            meant !== undefined
              ? `Did you mean '${meant}'?`
              : p.words.length > 0
                ? `It is one of ${quotedList(p.words.slice(0, 12))}.`
                : `It is ${p.kinds}.`,
          ...(meant !== undefined && {
            instead: meant,
            insteadOf: partOf(p.span, p.written),
            isSuggestion: !isUnambiguous(p.written, p.words),
          }),
        };
      },
    ),
  },
  ({ analysis, report }) => ({
    operation: (_, { analyzed }) => {
      for (const { expression, environment } of analyzed.flow.evaluations)
        visit(expression, (node) => {
          const read = readOf(node, environment);
          const claim = read?.type.claim;
          if (read !== undefined && claim !== undefined) {
            const missing = missingField(claim.type, read.path);
            if (missing !== undefined && !isInFailure(node, read.path, analyzed, analysis))
              report('undescribed-result', spanOfStep(node, missing.name), {
                ...{ name: missing.name, names: missing.fields.names, datasource: claim.datasource },
              });
          }
          if (node.kind !== 'comparison' || (node.operator !== '==' && node.operator !== '!=')) return;
          for (const [value, constant] of [
            [node.left, node.right],
            [node.right, node.left],
          ] as const) {
            const type = typeOf(value, environment);
            const { constant: written } = typeOf(constant, environment);
            if (type.claim === undefined || written === undefined || written === null) continue;
            const { kinds, words } = type.claim.type;
            const kind = typeof written;
            const isKnown =
              [...kinds].some((one) => one === kind) &&
              (typeof written !== 'string' || words === undefined || words.has(written));
            // A number that a double cannot carry, and a number in a text, are compared by their digits.
            const isNumeric = typeof written === 'number' && kinds.has('string');
            if (
              isKnown ||
              isNumeric ||
              kinds.size === 6 ||
              isInFailure(value, 'path' in value ? value.path : [], analyzed, analysis)
            )
              continue;
            report('undescribed-value', constant.span, {
              ...{ written: String(written), datasource: type.claim.datasource, span: constant.span },
              ...{ words: [...(words ?? [])], kinds: named([...kinds]) },
            });
          }
        });
    },
  }),
);

/** Whether a response that is no success may have the path: what is read of it depends on the status. */
function isInFailure(
  node: Expression,
  path: Path,
  { fulfillments }: AnalyzedOperation,
  analysis: Analysis,
): boolean {
  if (node.kind !== 'value') return false;
  return fulfillments.some(({ fulfillment }) => {
    if (fulfillment.name.value !== node.name || !('instructions' in fulfillment)) return false;
    const datasource = analysis.datasource(fulfillment.datasource.value);
    return fulfillment.instructions.some(({ action }) => {
      if (action === undefined || !('kind' in action) || datasource === undefined) return false;
      const failures = analysis.thirdParty(action, datasource)?.failures ?? [];
      return failures.map(describedType).some((type) => {
        const { kinds } = typeAt(type, path);
        return missingField(type, path) === undefined && (kinds.size > 1 || !kinds.has('null'));
      });
    });
  });
}
