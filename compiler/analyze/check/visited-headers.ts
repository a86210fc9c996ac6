/** The headers of datasources and requests, for the rules about them (decisions 6.1, 6.3). */
import type { Datasource, Request } from '../../read/config/config-model.js';
import type { Template } from '../../read/expression/ast.js';
import { inheritedNames } from '../../read/expression/inherited-names.js';
import type { WithSpan, Span } from '../../read/source.js';

export interface VisitedHeader {
  readonly name: WithSpan<string>;
  readonly value: Template;
  readonly valueSpan: Span;
  /** The problem of the name: the connection has its own, objects of JavaScript have it, or an earlier header has it. */
  readonly problem: 'managed' | 'inherited' | 'twice' | undefined;
  /** Where the name is for the first time, where it is there twice. */
  readonly first: Span | undefined;
  /** False for a header of a datasource. */
  readonly isOfRequest: boolean;
}

export function headersOfDatasource({ header }: Datasource): VisitedHeader[] {
  const fields = header.map(({ name, value }) => ({ name, value: [value.value], valueSpan: value.span }));
  return withProblems(fields, false).map((field) => ({ ...field, isOfRequest: false }));
}

export function headersOfRequest({ header, fields }: Request): VisitedHeader[] {
  return withProblems(header, fields.has('multipart')).map((field) => ({ ...field, isOfRequest: true }));
}

/** The constant parts of a value. */
export function constantIn(value: Template): string {
  return value.filter((part) => typeof part === 'string').join('');
}

/** They describe the connection, or the body that is sent. */
const managed = new Set([
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

type NamedTemplate = Pick<VisitedHeader, 'name' | 'value' | 'valueSpan'>;

function withProblems(
  header: readonly NamedTemplate[],
  isMultipart: boolean,
): Omit<VisitedHeader, 'isOfRequest'>[] {
  const seen = new Map<string, Span>();
  return header.map(({ name, value, valueSpan }) => {
    const key = name.value.toLowerCase();
    const isManaged = managed.has(key) || (isMultipart && key === 'content-type');
    const first = seen.get(key);
    if (first === undefined) seen.set(key, name.span);
    // Clients keep headers in objects, where inherited names are taken.
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
