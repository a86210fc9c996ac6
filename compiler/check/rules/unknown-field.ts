/** Paths that read a field which is not there: of rows, of the answer of a called operation, of a described request. */
import type { Expression, Path } from '../../expression/ast.js';
import { visit } from '../../expression/visit.js';
import { nearest } from '../../diagnostics/suggest.js';
import type { Report } from '../../diagnostics/report.js';
import type { Place } from '../../source.js';
import { missingField } from '../../types/missing-field.js';
import type { ValueType } from '../../types/value-type.js';
import type { Environment } from '../../types/visible-values.js';
import type { Rule } from '../rule.js';

export const unknownField: Rule = ({ operations }, report, _description, types) => {
  for (const operation of operations) {
    for (const { expression, environment } of types.flow(operation).evaluations) {
      visit(expression, (node) => {
        const read = readOf(node, environment);
        if (read !== undefined) check(node, read, report);
      });
    }
  }
};

interface Read {
  readonly type: ValueType;
  readonly path: Path;
}

function readOf(node: Expression, environment: Environment): Read | undefined {
  switch (node.kind) {
    case 'value':
      return { type: environment.result(node.name).type, path: node.path };
    case 'element':
      return { type: environment.element.type, path: node.path };
    case 'param':
      return { type: environment.request.param(node.name), path: node.path };
    case 'body':
      return { type: environment.request.body, path: node.path };
    default:
      return undefined;
  }
}

function check(node: Expression, { type, path }: Read, report: Report): void {
  const missing = missingField(type, path);
  if (missing === undefined) return;
  const { name, fields } = missing;
  const { origin, names, isClosed } = fields;
  const place = placeOfStep(node, name);
  const found = { name, names, nearest: nearest(name, names) };
  switch (origin.kind) {
    case 'rows':
      if (isClosed) report.add('unknown-column', place, { ...found, fulfillment: origin.fulfillment });
      break;
    case 'answer':
      if (isClosed) report.add('unknown-answer-field', place, { ...found, operation: origin.operation });
      break;
    case 'entries':
      report.add('unknown-entry-field', place, found);
      break;
    case 'described':
      report.add(isClosed ? 'unknown-request-field' : 'undescribed-request-field', place, found);
      break;
    case 'built':
      break;
  }
}

/** Where the name stands in the path; the whole expression where it is written in another way. */
function placeOfStep(node: Expression, name: string): Place {
  const { place } = node;
  const from = 'namePlace' in node ? node.namePlace.end : place.start;
  const found = place.source.text.slice(from, place.end).lastIndexOf(name);
  return found === -1 ? place : { ...place, start: from + found, end: from + found + name.length };
}
