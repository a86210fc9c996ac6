/** The outline of a configuration: operations with fulfillments and responses, datasources, authentications. */
import type { Config, FieldSpans, Fulfillment, Operation } from '../../read/config/config-model.js';
import type { Source, WithSpan } from '../../read/source.js';

export interface DocumentSymbol {
  readonly name: string;
  readonly detail: string;
  readonly kind: 'operation' | 'fulfillment' | 'response' | 'trigger' | 'datasource' | 'authentication';
  /** The whole symbol, up to the next one of the same kind. */
  readonly start: number;
  readonly end: number;
  /** The symbol's name. */
  readonly nameStart: number;
  readonly nameEnd: number;
  readonly children: readonly DocumentSymbol[];
}

/** The symbols of one file, in order. */
export function documentSymbols(
  { operations, datasources, authentications }: Config,
  source: Source,
): DocumentSymbol[] {
  const sections = [
    ...operations.map((one) => ({ kind: 'operation' as const, one, ...one })),
    ...datasources.map((one) => ({ kind: 'datasource' as const, one, ...one })),
    ...authentications.map((one) => ({ kind: 'authentication' as const, one, ...one })),
  ]
    .filter(({ name }) => name.span.source === source)
    .sort((a, b) => a.name.span.start - b.name.span.start);
  return sections.map((section, index) => {
    const end = sections[index + 1]?.name.span.start ?? source.text.length;
    const children = section.kind === 'operation' ? partsOf(section.one, end) : [];
    const detail = section.kind === 'datasource' ? (section.one.dialect ?? section.one.type ?? '') : '';
    return symbol(section.name, section.kind, detail, section.name.span.start, end, children);
  });
}

function symbol(
  { value, span }: WithSpan<string>,
  kind: DocumentSymbol['kind'],
  detail: string,
  start: number,
  end: number,
  children: readonly DocumentSymbol[] = [],
): DocumentSymbol {
  // Editors reject empty names, and names outside of their symbol.
  const from = Math.min(start, span.start);
  const to = Math.max(end, span.end);
  const name = value.trim() === '' ? kind : value;
  return { name, detail, kind, start: from, end: to, nameStart: span.start, nameEnd: span.end, children };
}

function partsOf({ fulfillments, responses, triggers }: Operation, end: number): DocumentSymbol[] {
  const parts = [
    ...fulfillments.map((one) => ({ start: startOf(one), one, kind: 'fulfillment' as const })),
    ...responses.map((one) => ({ start: startOf(one), one, kind: 'response' as const })),
    ...triggers.map((one) => ({ start: one.name.span.start, one, kind: 'trigger' as const })),
  ].sort((a, b) => a.start - b.start);
  return parts.map((part, index) => {
    const next = parts[index + 1]?.start ?? end;
    switch (part.kind) {
      case 'fulfillment':
        return fulfillmentSymbol(part.one, part.start, next);
      case 'response':
        return symbol(part.one.name, 'response', String(part.one.statuscode.value), part.start, next);
      case 'trigger':
        return symbol(part.one.name, 'trigger', part.one.cron?.value ?? '', part.start, next);
    }
  });
}

function startOf({ name, fields }: { readonly name: WithSpan<string>; readonly fields: FieldSpans }): number {
  return Math.min(name.span.start, ...[...fields.values()].map(({ start }) => start));
}

function fulfillmentSymbol(fulfillment: Fulfillment, start: number, end: number): DocumentSymbol {
  const inner = fulfillment.type === 'LOOP' ? fulfillment.fulfillments : [];
  const children = inner.map((one, index) => {
    const next = inner[index + 1];
    return fulfillmentSymbol(one, startOf(one), next === undefined ? end : startOf(next));
  });
  return symbol(fulfillment.name, 'fulfillment', fulfillment.type, start, end, children);
}
