/** Headers in test files: a map, or a list of `Key: Value` as in the configuration. */
import type { Fields } from '../../../read/config/fields.js';
import { isToken } from '../../../notation/template-writer.js';
import type { Entry, MapNode } from '../../../read/config/yaml/node.js';
import type { TestScope } from './test-scope.js';

/** The headers as a map, in whichever notation they are written. */
export function readHeader(fields: Fields, scope: Pick<TestScope, 'report'>): MapNode | undefined {
  const map = headerMap(fields, scope);
  for (const [index, { key, value }] of (map?.entries ?? []).entries()) {
    const { value: name, span } = key.text;
    if (isToken(name)) continue;
    const before = map?.entries[index - 1];
    // In braces, the second part of `Cache-Control: public, max-age=60` is a key without a value.
    const isRest = before?.value.kind === 'scalar' && value.kind === 'scalar' && value.value === null;
    scope.report.add('test-value', span, {
      problem: `'${name}' is not the name of a header.`,
      hint: isRest
        ? `If it belongs to the value before it, write quotes: ${before.key.text.value}: '${before.value.text.value}, ${name}'`
        : 'Write a name such as Content-Type.',
    });
  }
  return map;
}

function headerMap(fields: Fields, { report }: Pick<TestScope, 'report'>): MapNode | undefined {
  const node = fields.node('header');
  if (node?.kind !== 'list') return fields.section('header');
  const entries = node.items.flatMap((item): Entry[] => {
    if (item.kind === 'map') return [...item.entries];
    const colon = item.kind === 'scalar' ? item.text.value.indexOf(':') : -1;
    if (item.kind !== 'scalar' || colon < 1) {
      report.add('wrong-header', item.span, { meant: undefined });
      return [];
    }
    const part = (start: number, end: number): Entry['key'] => {
      const value = item.text.value.slice(start, end).trim();
      const { span } = item;
      return { ...item, value, text: { value, span, spanOf: (from, to) => item.text.spanOf(from, to) } };
    };
    return [{ key: part(0, colon), value: part(colon + 1, item.text.value.length) }];
  });
  return { kind: 'map', entries, span: node.span };
}
