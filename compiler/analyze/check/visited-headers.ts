/** Collects the headers of datasources, requests and responses, for the rules about headers. */
import {
  headersOf,
  type Datasource,
  type Request,
  type Response,
  type TemplateHeader,
} from '../../read/config/config-model.js';
import type { Expression, Template } from '../../read/expression/ast.js';
import { bodyKind, isFileType } from '../../read/openapi/media-type.js';
import { inheritedNames } from '../../read/expression/inherited-names.js';
import type { WithSpan, Span } from '../../read/source.js';
import { wordSet } from '../../read/wordset.js';

export interface VisitedHeader {
  readonly name: WithSpan<string>;
  readonly value: Template;
  readonly valueSpan: Span;
  /** The problem with the name: it is managed automatically, inherited by JavaScript objects, or a duplicate. */
  readonly problem: 'managed' | 'inherited' | 'twice' | undefined;
  /** The first position of a duplicate name. */
  readonly first: Span | undefined;
  /** The resource that contains the header; `response` includes exceptions. */
  readonly of: 'datasource' | 'request' | 'response';
}

export function headersOfDatasource(datasource: Datasource): VisitedHeader[] {
  const fields = headersOf(datasource).map(({ name, value }) => ({
    name,
    value: [value.value],
    valueSpan: value.span,
  }));
  return withProblems(fields, false).map((field) => ({ ...field, of: 'datasource' }));
}

export function headersOfRequest({ header, fields }: Request): VisitedHeader[] {
  return withProblems(header, fields.has('multipart')).map((field) => ({ ...field, of: 'request' }));
}

/** The headers of a response or an exception. A name may be there several times. */
export function headersOfResponse({ header, fileName, contentType }: WithHeader): VisitedHeader[] {
  return header.map(({ name, value, valueSpan }) => {
    const key = name.value.toLowerCase();
    const hasValue = value.some((part) => typeof part !== 'string');
    const isManaged =
      managedInResponses.has(key) ||
      key.startsWith('access-control-') ||
      (key === 'accept-ranges' && bodyKind(contentType) === 'bytes') ||
      (key === 'content-disposition' && (hasValue || fileName !== undefined || isFileType(contentType)));
    return {
      ...{ name, value, valueSpan, first: undefined, of: 'response' },
      problem: isManaged ? 'managed' : undefined,
    };
  });
}

interface WithHeader {
  readonly header: readonly TemplateHeader[];
  /** Only for responses. */
  readonly fileName?: Expression | undefined;
  readonly contentType?: Response['contentType'];
}

/** Response headers whose values are URLs, or contain URLs in angle brackets. */
export const urlHeaders: ReadonlySet<string> = new Set(['location', 'content-location', 'link']);

/** The constant parts of a value. */
export function constantIn(value: Template): string {
  return value.filter((part) => typeof part === 'string').join('');
}

/** Headers that describe the connection or the body. */
const managed = wordSet(`
  connection content-length expect host keep-alive proxy-connection te trailer transfer-encoding upgrade
`);

/** Headers that Node or the service writes, that other response fields determine, or that only the server may set. */
const managedInResponses = wordSet(`
  connection content-encoding content-length content-range content-type date etag keep-alive
  proxy-connection trailer transfer-encoding upgrade x-request-id
`);

type NamedTemplate = Pick<VisitedHeader, 'name' | 'value' | 'valueSpan'>;

function withProblems(header: readonly NamedTemplate[], isMultipart: boolean): Omit<VisitedHeader, 'of'>[] {
  const seen = new Map<string, Span>();
  return header.map(({ name, value, valueSpan }) => {
    const key = name.value.toLowerCase();
    const isManaged = managed.has(key) || (isMultipart && key === 'content-type');
    const first = seen.get(key);
    if (first === undefined) seen.set(key, name.span);
    // Clients store headers in objects, where inherited names are already taken.
    const problem = isManaged
      ? 'managed'
      : inheritedNames.has(name.value)
        ? 'inherited'
        : first !== undefined
          ? 'twice'
          : undefined;
    return { name, value, valueSpan, problem, first };
  });
}
