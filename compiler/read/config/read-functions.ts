/** Reads the user functions that expressions call, and the types of user code (docs/design/operations.md#op-11). */
import type { Report } from '../diagnostics/report.js';
import type { ScalarText } from '../source.js';
import type { CodeType, FunctionDeclaration } from './config-model.js';
import { Fields } from './fields.js';
import { fieldTable } from './field-table.js';
import { resourceMap } from './resource-map.js';
import { isBroken, isEmpty, type Entry, type Node } from './yaml/node.js';

export function readFunction(entry: Entry, report: Report): FunctionDeclaration | undefined {
  const { key } = entry;
  const resource = `Function '${key.text.value}'`;
  const map = resourceMap(entry, resource, report);
  if (map === undefined) return undefined;
  const fields = new Fields(resource, map, fieldTable.function, report, undefined, key);
  fields.require();
  return {
    name: { value: key.text.value, span: key.span },
    input: (fields.list('input')?.items ?? []).map((item) => readItem(item, report)),
    returns: readResult(fields, report),
  };
}

/** The type of one argument. */
function readItem(item: Node, report: Report): CodeType | undefined {
  if (isBroken(item)) return undefined;
  if (item.kind === 'map') return { kind: 'schema', node: item };
  if (item.kind === 'scalar' && item.text.value.trim() !== '') return modelNamed(item.text);
  report.add('wrong-kind', item.span, {
    what: "An item of 'input'",
    expected: 'a model of the API description, or a JSON schema',
    example: 'input: [{ type: string }]',
  });
  return undefined;
}

/** The `returns` of a function or of a fulfillment that calls one. */
export function readResult(fields: Fields, report: Report): CodeType | undefined {
  const node = fields.node('returns');
  if (node === undefined || isBroken(node)) return undefined;
  if (node.kind === 'map') return { kind: 'schema', node };
  if (node.kind === 'list' && !isEmpty(node)) {
    report.add('wrong-kind', node.span, {
      what: "'returns'",
      expected: 'a model of the API description, or a JSON schema',
      example: modelOfList(node) ?? 'returns: { type: array, items: { type: string } }',
    });
    return undefined;
  }
  const text = fields.text('returns');
  return text && modelNamed(text);
}

/** The model in `Price`, or in `Price[]`. */
function modelNamed({ value, span }: ScalarText): CodeType {
  const written = value.trim();
  const isList = written.endsWith('[]');
  return { kind: 'model', name: isList ? written.slice(0, -2).trim() : written, isList, span };
}

/** The model in `[Price]`, which is meant as a list of prices. */
function modelOfList(node: Extract<Node, { kind: 'list' }>): string | undefined {
  const [only, ...others] = node.items;
  return only?.kind === 'scalar' && others.length === 0 ? `returns: ${only.text.value}[]` : undefined;
}
