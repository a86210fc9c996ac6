/** Responses, triggers and mappings of an operation (specification, Response, Trigger, Mappings and join). */
import type { Report } from '../diagnostics/report.js';
import type { Syntax } from '../expression/ast.js';
import { parseExpression } from '../expression/parse/parse.js';
import { Fields } from './fields.js';
import type { Mapping, Response, Trigger } from './config-model.js';
import { entryOf, type Entry, type MapNode, type Node } from './yaml/node.js';
import { readSchema } from './read-schema-notation.js';
import { resourceFields } from './resource-fields.js';

export function readResponse(map: MapNode, syntax: Syntax, report: Report): Response {
  const fields = new Fields(responseName(map), map, resourceFields['a response'], report);
  fields.require('name', 'default', 'statuscode');
  const schema = fields.node('schema');
  const isDefault = fields.boolean('default');
  return {
    name: fields.stringWithSpan('name') ?? { value: '', span: fields.headSpan },
    default: isDefault ?? false,
    isDefaultKnown: isDefault !== undefined,
    if: fields.expression('if', syntax),
    statuscode: fields.integer('statuscode', 200, 599) ?? { value: 200, span: fields.headSpan },
    schema: schema && readSchema(schema, syntax, report),
    fields: fields.spans,
  };
}

function responseName(map: MapNode): string {
  const name = entryOf(map, 'name')?.value;
  return name?.kind === 'scalar' && name.text.value !== '' ? `Response '${name.text.value}'` : 'A response';
}

export function readTrigger(map: MapNode, report: Report): Trigger {
  const fields = new Fields('A trigger', map, resourceFields['a trigger'], report);
  fields.require('name', 'cron');
  return {
    name: fields.stringWithSpan('name') ?? { value: '', span: fields.headSpan },
    cron: fields.text('cron'),
    timezone: fields.text('timezone'),
  };
}

/** The name of a fulfillment by itself where its fields are expected; else one as an example. */
function nameIn(value: Node): string {
  return value.kind === 'scalar' && /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(value.text.value)
    ? value.text.value
    : 'news';
}

/** The same of the first value of a map or list. */
function firstName(value: Node): string {
  const [first] =
    value.kind === 'map'
      ? value.entries.map((entry) => entry.value)
      : value.kind === 'list'
        ? value.items
        : [];
  return first === undefined ? 'news' : nameIn(first);
}

/** `mappings`: a map from model names to maps of `<model field>: <fulfillment>.<field>`. */
export function readMappings(entries: readonly Entry[], report: Report): Mapping[] {
  return entries.flatMap(({ key, value }) => {
    if (value.kind !== 'map') {
      const expected = 'a map of `<model field>: <fulfillment>.<field>`';
      const example = `${key.text.value}: { id: ${nameIn(value)}.id }`;
      report.add('wrong-kind', value.span, {
        what: `The mapping of '${key.text.value}'`,
        expected,
        example,
      });
      return [{ model: { value: key.text.value, span: key.span }, fields: [], isUnread: true }];
    }
    const fields = value.entries.flatMap((entry) => {
      const field = { value: entry.key.text.value, span: entry.key.span };
      if (entry.value.kind !== 'scalar') {
        const expected = '`<fulfillment>.<field>`';
        report.add('wrong-kind', entry.value.span, {
          what: `The mapping of '${entry.key.text.value}'`,
          expected,
          example: `${entry.key.text.value}: ${firstName(entry.value)}.id`,
        });
        return [{ field, value: undefined }];
      }
      return [{ field, value: parseExpression(entry.value.text, 'B', report) }];
    });
    return [{ model: { value: key.text.value, span: key.span }, fields }];
  });
}
