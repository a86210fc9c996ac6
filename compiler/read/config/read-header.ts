/** Reads `header` fields: `Key: Value` strings, including those that YAML parsed as a map with one entry. */
import { spanBeside, type ScalarText } from '../source.js';
import { warnOfCutText } from './yaml/cut-text.js';
import type { Fields } from './fields.js';
import type { Report } from '../diagnostics/report.js';
import type { Notation } from '../expression/notation.js';
import { parseTemplate } from '../expression/parse/parse.js';
import { checkTemplate } from './check-template.js';
import type { HeaderField, TemplateHeader } from './config-model.js';
import type { Node } from './yaml/node.js';

export function readHeader(fields: Fields): HeaderField[] {
  return (fields.list('header')?.items ?? []).flatMap((item) => {
    warnOfCutText(item.kind === 'map' ? item.entries[0]?.value : item, false, fields.report);
    const text = headerText(item);
    const match = text && /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(?=\S)/.exec(text.value);
    if (match) return [headerField(text, match[1] ?? '', match[0].length)];
    fields.report.add('wrong-header', item.span, { meant: meantHeader(item) });
    return [];
  });
}

/** Headers whose values can contain placeholders. */
export function readTemplateHeader(fields: Fields, notation: Notation, report: Report): TemplateHeader[] {
  const header = fields.has('header') ? readHeader(fields) : [];
  for (const { value } of header) checkTemplate(value, 'header', notation, report);
  return header.map(({ name, value }) => ({
    ...{ name, value: parseTemplate(value, notation, report) },
    valueSpan: value.span,
  }));
}

/** Rewrites `{ name: Accept, value: text/plain }` and `Accept=text/plain` as `Accept: text/plain`. */
function meantHeader(item: Node): string | undefined {
  if (item.kind === 'scalar') {
    const [, key, value] =
      /^([A-Za-z][A-Za-z0-9-]*)\s*=\s*([^'\n]*\S)$/.exec(item.text.value) ??
      /^(Accept(?:-[A-Za-z]+)?|Content-Type|User-Agent|If-[A-Za-z-]+)[ \t]+([^'\s:]+)$/i.exec(
        item.text.value,
      ) ??
      [];
    return key === undefined || value === undefined ? undefined : `${key}: ${value}`;
  }
  const [only, second] = item.kind === 'map' ? item.entries : [];
  if (only !== undefined && second === undefined && only.value.kind === 'scalar') {
    const name = only.key.text.value.trim().replaceAll(/[ _]+/g, '-');
    const value = only.value.text.value;
    return /^[A-Za-z][A-Za-z0-9-]*$/.test(name) && value !== '' && !value.includes("'")
      ? `${name}: ${value}`
      : undefined;
  }
  if (item.kind !== 'map' || item.entries.length !== 2) return undefined;
  const [key, value] = [/^(?:name|key)$/i, /^value$/i].map((pattern) => {
    const found = item.entries.find((entry) => pattern.test(entry.key.text.value))?.value;
    return found?.kind === 'scalar' && !found.text.value.includes("'") ? found.text.value : undefined;
  });
  return key === undefined || value === undefined ? undefined : `${key}: ${value}`;
}

/** Excludes white space around the value. */
function headerField(text: ScalarText, name: string, start: number): HeaderField {
  const value = text.value.slice(start).trimEnd();
  return {
    name: { value: name, span: text.spanOf(0, name.length) },
    value: {
      value,
      span: text.spanOf(start, start + value.length),
      spanOf: (from, to) => text.spanOf(start + from, start + to),
    },
  };
}

function headerText(item: Node): ScalarText | undefined {
  if (item.kind === 'scalar') return item.text;
  const [entry, ...others] = item.kind === 'map' ? item.entries : [];
  if (entry?.value.kind !== 'scalar' || others.length > 0) return undefined;
  const key = entry.key.text;
  const value = entry.value.text;
  const valueStart = key.value.length + 2;
  return {
    value: `${key.value}: ${value.value}`,
    span: spanBeside(key.span, key.span.start, value.span.end, key.span.scalar),
    spanOf: (start, end) =>
      start < valueStart
        ? key.spanOf(start, Math.min(end, key.value.length))
        : value.spanOf(start - valueStart, end - valueStart),
  };
}
