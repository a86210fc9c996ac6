/** Converts paths from Swagger 2.0 to OpenAPI 3: bodies and forms are no longer parameters, and every parameter has a schema. */
import { entryOf, type Entry, type MapNode, type Node, type ScalarNode } from '../../config/yaml/node.js';
import type { Span } from '../../source.js';
import { methods } from '../bundle-shape.js';

/** Resolves a reference. */
type Resolve = (node: Node) => Node | undefined;

/** `root` is the description, whose media types apply to operations without media types of their own. */
export function upgradedPath(path: Node, root: MapNode, resolve: Resolve): Node {
  const item = resolve(path);
  if (item?.kind !== 'map') return path;
  const common = parametersOf(item, resolve);
  return {
    ...{ kind: 'map', span: item.span },
    entries: item.entries.flatMap((entry): Entry[] => {
      const { key, value } = entry;
      if (key.text.value === 'parameters') return [];
      if (!methods.includes(key.text.value) || value.kind !== 'map') return [entry];
      return [{ key, value: upgradedOperation(value, common, root, resolve) }];
    }),
  };
}

function upgradedOperation(
  operation: MapNode,
  common: readonly MapNode[],
  root: MapNode,
  resolve: Resolve,
): MapNode {
  const { span } = operation;
  const own = parametersOf(operation, resolve);
  const names = new Set(own.map((one) => `${textAt(one, 'in')} ${textAt(one, 'name')}`));
  const all = [...common.filter((one) => !names.has(`${textAt(one, 'in')} ${textAt(one, 'name')}`)), ...own];
  const types = [operation, root].flatMap((owner) => {
    const consumes = entryOf(owner, 'consumes')?.value;
    return consumes?.kind === 'list'
      ? [consumes.items.map((item) => (item.kind === 'scalar' ? item.text.value : ''))]
      : [];
  })[0];
  const isPlain = (one: MapNode): boolean => !/^(?:body|formData)$/.test(textAt(one, 'in'));
  const body = bodyOf(all, types ?? [], span);
  const responses = entryOf(operation, 'responses')?.value;
  return mapOf(span, [
    ...operation.entries.filter(({ key }) => !/^(?:parameters|responses)$/.test(key.text.value)),
    entry('parameters', { kind: 'list', span, items: all.filter(isPlain).map(upgradedParameter) }),
    ...(body === undefined ? [] : [entry('requestBody', body)]),
    ...(responses?.kind === 'map'
      ? [
          entry('responses', {
            ...{ kind: 'map', span: responses.span },
            entries: responses.entries.map(({ key, value }) => ({
              key,
              value: upgradedResponse(value, resolve),
            })),
          }),
        ]
      : []),
  ]);
}

function parametersOf(owner: MapNode, resolve: Resolve): MapNode[] {
  const list = entryOf(owner, 'parameters')?.value;
  return (list?.kind === 'list' ? list.items : []).flatMap((item) => {
    const found = resolve(item);
    return found?.kind === 'map' ? [found] : [];
  });
}

/** Keys of a parameter that do not belong to its schema. */
const ofParameter = ['name', 'in', 'required', 'description', 'collectionFormat', 'allowEmptyValue'];

function upgradedParameter(parameter: MapNode): MapNode {
  const { span } = parameter;
  const format = textAt(parameter, 'collectionFormat');
  const style = { ssv: 'spaceDelimited', pipes: 'pipeDelimited' }[format];
  return mapOf(span, [
    ...parameter.entries.filter(({ key }) => /^(?:name|in|required|description)$/.test(key.text.value)),
    ...(style === undefined ? [] : [entry('style', scalar(style, span))]),
    entry('explode', scalar(String(format === 'multi'), span)),
    entry('schema', schemaOf(parameter)),
  ]);
}

function schemaOf(parameter: MapNode): Node {
  const { span } = parameter;
  if (textAt(parameter, 'type') === 'file')
    return mapOf(span, [entry('type', scalar('string', span)), entry('format', scalar('binary', span))]);
  return mapOf(
    span,
    parameter.entries.filter(({ key }) => !ofParameter.includes(key.text.value)),
  );
}

function bodyOf(parameters: readonly MapNode[], types: readonly string[], span: Span): Node | undefined {
  const body = parameters.find((one) => textAt(one, 'in') === 'body');
  if (body !== undefined) {
    const schema = entryOf(body, 'schema');
    return mapOf(body.span, [
      entry('required', scalar(textAt(body, 'required') || 'false', span)),
      entry(
        'content',
        mapOf(span, [entry('application/json', mapOf(span, schema === undefined ? [] : [schema]))]),
      ),
    ]);
  }
  const fields = parameters.filter((one) => textAt(one, 'in') === 'formData');
  if (fields.length === 0) return undefined;
  const required = fields.filter((one) => textAt(one, 'required') === 'true');
  const schema = mapOf(span, [
    entry('type', scalar('object', span)),
    entry('required', {
      kind: 'list',
      span,
      items: required.map((one) => scalar(textAt(one, 'name'), span)),
    }),
    entry(
      'properties',
      mapOf(
        span,
        fields.map((one) => entry(textAt(one, 'name'), schemaOf(one))),
      ),
    ),
  ]);
  const forms = ['multipart/form-data', 'application/x-www-form-urlencoded'];
  const sent = forms.filter((type) => types.includes(type));
  return mapOf(span, [
    entry('required', scalar(String(required.length > 0), span)),
    entry(
      'content',
      mapOf(
        span,
        (sent.length === 0 ? forms : sent).map((type) => entry(type, mapOf(span, [entry('schema', schema)]))),
      ),
    ),
  ]);
}

function upgradedResponse(response: Node, resolve: Resolve): Node {
  const found = resolve(response);
  const schema = found?.kind === 'map' ? entryOf(found, 'schema') : undefined;
  if (found?.kind !== 'map' || schema === undefined) return response;
  const { span } = found;
  return mapOf(span, [
    ...found.entries.filter(({ key }) => key.text.value !== 'schema'),
    entry('content', mapOf(span, [entry('application/json', mapOf(span, [schema]))])),
  ]);
}

function mapOf(span: Span, entries: readonly Entry[]): MapNode {
  return { kind: 'map', entries, span };
}

function entry(name: string, value: Node): Entry {
  return { key: scalar(name, value.span), value };
}

function scalar(value: string, span: Span): ScalarNode {
  return { kind: 'scalar', value, text: { value, span, spanOf: () => span }, style: 'quoted', span };
}

function textAt(map: MapNode, key: string): string {
  const value = entryOf(map, key)?.value;
  return value?.kind === 'scalar' ? value.text.value : '';
}
