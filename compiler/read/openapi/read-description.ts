/** Reads an API description and reports all errors. */
import { entryOf, mapAt, textAt, isEmpty, type Entry, type MapNode, type Node } from '../config/yaml/node.js';
import type { Report } from '../diagnostics/report.js';
import { nearest } from '../diagnostics/suggest.js';
import { Documents, type DescriptionInput } from './documents.js';
import { namedParts, reportMisplaced, type MapInFile, type NamedPart } from './named-parts.js';
import type { Document, NodeInFile } from './node-in-file.js';
import type { ApiDescription, Credential } from './api-model.js';
import { EndpointReader } from './read-endpoint.js';
import { SchemaReader } from './read-api-schema.js';

/** Reads an API description as far as it is readable; undefined if the text is not an API description. */
export function readDescription(input: DescriptionInput, report: Report): ApiDescription | undefined {
  const documents = new Documents(input, report);
  const { main } = documents;
  if (main === undefined) return undefined;
  const { root } = main;
  if (root.kind !== 'map') {
    report.add(
      'not-a-description',
      { source: input.source, start: 0, end: 0 },
      { problem: 'it is not a map' },
    );
    return undefined;
  }
  if (!checkVersion(root, main, report)) return undefined;
  const { others = [] } = input;
  if (others.length > 0) {
    const span = root.entries[0]?.key.span ?? root.span;
    report.add('several-descriptions', span, { read: input.source.path, others });
  }
  const sections = new Sections(documents, report);
  const parts = (name: string): readonly NamedPart[] => sections.inside({ node: root, document: main }, name);
  const components = parts('components');
  const inComponents = (name: string): readonly NamedPart[] => sections.among(components, name);
  const schemas = new SchemaReader(documents, report);
  schemas.readModels(inComponents('schemas'));
  const endpoints = new EndpointReader(documents, schemas, report);
  const misspelt = misspeltPaths(root, report);
  for (const part of parts('paths')) endpoints.readPath(part, spotOf(part));
  readUnused(inComponents, endpoints);
  schemas.finish();
  return {
    written: { documents, main, root },
    version: versionIn(root),
    source: input.source,
    endpoints: endpoints.endpoints,
    unreadPaths: endpoints.unreadPaths,
    models: schemas.models,
    isIncomplete: documents.areIncomplete || misspelt,
    credentials: credentialsIn(inComponents('securitySchemes')),
  };
}

function versionIn(root: MapNode): string | undefined {
  const info = mapAt(root, 'info');
  return info && textAt(info, 'version');
}

/** Checks for `openapi: 3.0.x` or `3.1.x`. */
function checkVersion(root: MapNode, { source }: Document, report: Report): boolean {
  const entry = entryOf(root, 'openapi');
  const version = entry?.value.kind === 'scalar' ? entry.value.text.value : undefined;
  if (version !== undefined && /^3\.[01](?:\.|$)/.test(version)) return true;
  const swagger = entryOf(root, 'swagger');
  const span = (entry ?? swagger)?.value.span ?? root.entries[0]?.key.span ?? { source, start: 0, end: 0 };
  const problem =
    swagger !== undefined && entry === undefined
      ? 'it is written in Swagger 2.0'
      : version === undefined
        ? "it has no field 'openapi'"
        : `'${version}' is neither 3.0 nor 3.1`;
  report.add('not-a-description', span, { problem });
  return false;
}

/** Whether `paths` is misspelled, which is reported: otherwise every endpoint would be reported as missing. */
function misspeltPaths(root: MapNode, report: Report): boolean {
  if (entryOf(root, 'paths') !== undefined) return false;
  const found = root.entries.find(({ key }) => nearest(key.text.value, ['paths']) !== undefined);
  if (found === undefined) return false;
  const { value: field, span } = found.key.text;
  const known = ['openapi', 'info', 'paths', 'components'];
  const resource = 'The API description';
  report.add('unknown-field', span, { resource, field, nearest: 'paths', owners: [], known });
  return true;
}

/** Reads parts under `components` that no endpoint refers to, so that their errors are reported, too. */
function readUnused(inComponents: (name: string) => readonly NamedPart[], endpoints: EndpointReader): void {
  for (const part of inComponents('parameters')) endpoints.readParameter(spotOf(part));
  for (const part of inComponents('requestBodies')) endpoints.readBody(spotOf(part));
  for (const part of inComponents('responses')) endpoints.readResponse(spotOf(part));
}

function spotOf({ value, document }: NamedPart): NodeInFile {
  return { node: value, document };
}

const sectionExamples: Readonly<Record<string, string>> = {
  paths: 'paths: { /news: { get: … } }',
  components: 'components: { schemas: { News: … } }',
  schemas: 'schemas: { News: { type: object } }',
};

/** The maps of named parts in a description. */
class Sections {
  constructor(
    private readonly documents: Documents,
    private readonly report: Report,
  ) {}

  inside({ node, document }: MapInFile, name: string): readonly NamedPart[] {
    const value = entryOf(node, name)?.value;
    return value === undefined ? [] : this.#partsOf(value, document, name);
  }

  among(parts: readonly NamedPart[], name: string): readonly NamedPart[] {
    const found = parts.find(({ key }) => key.text.value === name);
    return found === undefined ? [] : this.#partsOf(found.value, found.document, name);
  }

  #partsOf(node: Node, document: Document, name: string): readonly NamedPart[] {
    const example = sectionExamples[name] ?? `${name}: { News: … }`;
    if (node.kind === 'map')
      return namedParts(
        { node, document },
        this.documents,
        reportMisplaced(this.report, `'${name}'`, () => example),
      );
    if (!isEmpty(node))
      this.report.add('wrong-kind', node.span, {
        what: `'${name}' of the API description`,
        expected: 'a map (lines of the form `key: value`)',
        example,
      });
    return [];
  }
}

const credentialPlaces: readonly Credential['in'][] = ['query', 'header', 'cookie'];

/** API keys: parameters that the description declares as security schemes instead of at endpoints. */
export function credentialsIn(schemes: readonly Pick<Entry, 'value'>[]): Credential[] {
  return schemes.flatMap(({ value }) => {
    if (value.kind !== 'map') return [];
    const [name, place] = [textAt(value, 'name'), textAt(value, 'in')];
    const location = credentialPlaces.find((one) => one === place);
    return name === undefined || location === undefined ? [] : [{ name, in: location }];
  });
}
