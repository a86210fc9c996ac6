/** Reads `limits` of operations, authentications and settings (docs/design/limits.md#lim-2). */
import { Recording } from '../diagnostics/recording.js';
import type { Expression } from '../expression/ast.js';
import type { Notation } from '../expression/notation.js';
import { parseExpression } from '../expression/parse/parse.js';
import { printExpression } from '../expression/print-expression.js';
import type { WithSpan } from '../source.js';
import type { RequestLimit } from './config-model.js';
import { Fields } from './fields.js';
import { readDuration } from './read-duration.js';
import { fieldTable } from './field-table.js';
import { syntaxOfText } from './syntax.js';
import { joinCutItems } from './yaml/cut-text.js';
import { isBroken, isEmpty } from './yaml/node.js';

/** The place of limits, which decides what they can read: the credentials are those of an authentication of that type. */
export type LimitPlace = 'operation' | 'settings' | { readonly credentials: 'user' | 'key' | undefined };

/** Reads the limits. Without a notation, the expressions of each limit decide its syntax. */
export function readLimits(owner: Fields, place: LimitPlace, notation?: Notation): readonly RequestLimit[] {
  owner.requireItems('limits');
  return owner.maps('limits', 'a limit', ['by', 'times']).map((map) => {
    const fields = new Fields('A limit', map, fieldTable.requestLimit, owner.report);
    const used = notation ?? { syntax: syntaxOfText(map) };
    fields.require(undefined, { by: used.syntax === 'A' ? 'ADDRESS()' : 'address()' });
    return {
      syntax: used.syntax,
      by: readValues(fields, place, used),
      times: fields.integer('times')?.value ?? 1,
      within: readDuration(fields, 'within', { longest, example: '15m' }) ?? 1,
      countsAll: fields.word('count', ['all', 'refused'] as const)?.value !== 'refused',
      store: fields.stringWithSpan('store'),
      span: fields.headSpan,
    };
  });
}

/** Maximum number of values of a key. */
const maxValues = 8;

/** The values of `by`. Expressions that a limit cannot read are reported and omitted. */
function readValues(fields: Fields, place: LimitPlace, notation: Notation): readonly Expression[] {
  const { report } = fields;
  const node = fields.node('by');
  if (node === undefined || isBroken(node)) return [];
  fields.requireItems('by');
  const items = node.kind === 'list' ? joinCutItems(node.items, report) : [node];
  const wrong = (span: WithSpan<string>['span']): void => {
    report.add('wrong-kind', span, {
      what: "'by'",
      expected: `a value, or a list of at most ${maxValues} values`,
      example: `by: ${examples(place, notation)}`,
    });
  };
  if (items.length > maxValues) wrong(node.span);
  return items.flatMap((item) => {
    if (isBroken(item)) return [];
    if (item.kind !== 'scalar' || isEmpty(item)) {
      wrong(item.span);
      return [];
    }
    const parsing = new Recording();
    const value = parseExpression(item.text, notation, parsing);
    report.replay(parsing.all);
    if (value === undefined || parsing.hasErrors) return [];
    if (isReadable(value, place)) return [value];
    report.add('limit-by', value.span, {
      written: printExpression(value, notation.syntax),
      readable: readableIn(place, notation.syntax),
    });
    return [];
  });
}

/** Whether a limit can read the value before the first fulfillment, and it is a single value. */
function isReadable(value: Expression, place: LimitPlace): boolean {
  switch (value.kind) {
    case 'address':
      return true;
    case 'sent':
      return typeof place === 'string';
    case 'caller':
      return typeof place === 'string' && value.path.length > 0;
    case 'body':
      return place === 'operation' && value.path.length > 0;
    case 'param':
      return (
        place === 'operation' ||
        (typeof place === 'object' && value.name === place.credentials && value.path.length === 0)
      );
    default:
      return false;
  }
}

function readableIn(place: LimitPlace, syntax: Notation['syntax']): readonly string[] {
  const isA = syntax === 'A';
  const address = isA ? 'ADDRESS()' : 'address()';
  if (typeof place === 'object') {
    const { credentials } = place;
    return [
      ...(credentials === undefined ? [] : [isA ? `PARAM(${credentials})` : `param.${credentials}`]),
      address,
    ];
  }
  const ofRequest = isA
    ? ['HEADER(<name>)', 'QUERY(<name>)', 'COOKIE(<name>)', 'CALLER($.<field>)']
    : ['header.<name>', 'query.<name>', 'cookie.<name>', 'caller.<field>'];
  const ofOperation = isA ? ['PARAM(<name>)', 'BODY($.<field>)'] : ['param.<name>', 'body.<field>'];
  return [...(place === 'operation' ? ofOperation : []), ...ofRequest, address];
}

function examples(place: LimitPlace, { syntax }: Notation): string {
  const [value = '', address = ''] =
    syntax === 'A' ? ['BODY($.email)', 'ADDRESS()'] : ['body.email', 'address()'];
  return place === 'operation' ? `[${value}, ${address}]` : address;
}

/** The longest time, in seconds. */
const longest = 31 * 86_400;
