/** Reads the schemas of an API description. References are resolved to the referenced schemas, so the result is a graph. */
import { isEmpty, type MapNode, type Node, type ScalarNode } from '../config/yaml/node.js';
import type { Report } from '../diagnostics/report.js';
import type { Span } from '../source.js';
import type { ApiSchema } from './api-model.js';
import type { Documents, Target } from './documents.js';
import { namedParts, reportMisplaced, type MapInFile, type NamedPart } from './named-parts.js';
import type { NodeInFile } from './node-in-file.js';
import { referenceIn } from './pointer.js';
import { isName, readDiscriminator } from './read-discriminator.js';
import { readNestedSchemas } from './read-nested-schemas.js';
import { checkDefault, readPlainKeywords } from './read-plain-keywords.js';
import { anything, keywordValue, type SchemaDraft, type SchemaNotes } from './schema-draft.js';
import { isAnnotation } from './schema-keywords.js';

export class SchemaReader {
  /** The models by name. */
  readonly models = new Map<string, ApiSchema>();
  readonly #drafts = new Map<Node, SchemaDraft>();
  /** The resolved schemas, by referring node. */
  readonly #behind = new Map<Node, ApiSchema>();
  readonly #notes: SchemaNotes = { references: new Map(), defaults: new Map(), reported: new Set() };
  /** The number of schemas being read recursively. */
  #depth = 0;
  readonly #later: (() => void)[] = [];
  /** The schemas with a `discriminator`. */
  readonly #discriminated = new Map<SchemaDraft, MapInFile>();
  readonly #names = new Map<Node, string>();
  readonly #taken = new Set<string>();

  constructor(
    private readonly documents: Pick<Documents, 'target'>,
    private readonly report: Report,
  ) {}

  /** Assigns names to the schemas under `components`; schemas of other files cannot take these names. */
  readModels(entries: readonly NamedPart[]): void {
    const named = entries.map(({ key, value, document }) => ({
      name: key.text.value,
      spot: { node: value, document },
    }));
    for (const { name, spot } of named) {
      this.#taken.add(name);
      if (!isAlias(spot.node)) this.#names.set(spot.node, name);
    }
    for (const { name, spot } of named) {
      const reference = isAlias(spot.node) ? referenceIn(spot.node) : undefined;
      const target = reference && this.documents.target(reference, spot.document);
      if (target !== undefined && !isAlias(target.node) && !this.#names.has(target.node))
        this.#names.set(target.node, name);
    }
    for (const { name, spot } of named) this.models.set(name, this.read(spot));
  }

  read(spot: NodeInFile): ApiSchema {
    const { node } = spot;
    const known = this.#drafts.get(node);
    if (known !== undefined) return known;
    if (isAlias(node)) return this.#follow(spot);
    const draft: SchemaDraft = { ...anything(node), model: this.#names.get(node) };
    this.#drafts.set(node, draft);
    // Models can refer to each other in a long chain: beyond this depth, schemas are read after the stack has unwound.
    if (this.#depth === maxDepth) {
      this.#later.push(() => {
        this.#complete(draft, spot);
      });
      return draft;
    }
    this.#complete(draft, spot);
    while (this.#depth === 0 && this.#later.length > 0) this.#later.pop()?.();
    return draft;
  }

  /** Resolves schemas that depend on others, and reports schemas that contain themselves. Call it after all schemas are read. */
  finish(): void {
    // A discriminator mapping can be the only reference to a schema.
    for (const [draft, spot] of this.#discriminated) this.#readDiscriminator(draft, spot);
    reportCycles(this.#drafts.values(), this.#notes, this.report);
  }

  #readDiscriminator(draft: SchemaDraft, { node: map, document }: MapInFile): void {
    const found = readDiscriminator(draft, map, (value) => {
      const { text } = value;
      const named = this.models.get(text.value);
      if (named !== undefined || isName(value)) return named;
      const target = this.documents.target(value, document);
      return target && this.read(target);
    });
    if (found === undefined) return;
    if ('alternatives' in found) {
      draft.discriminator = found;
      return;
    }
    const { node, problem } = found;
    // With `allOf` inheritance, the same keyword occurs in many places: report it once.
    if (this.#notes.reported.has(problem)) return;
    this.#notes.reported.add(problem);
    this.report.add('schema-keyword', node.span, { keyword: 'discriminator', problem });
  }

  /** Reports an invalid default of a parameter; other defaults are not used. */
  checkDefault(schema: ApiSchema): void {
    checkDefault(schema, this.#notes, this.report);
  }

  #complete(draft: SchemaDraft, spot: NodeInFile): void {
    const { node, document } = spot;
    this.#depth += 1;
    if (node.kind === 'map') {
      this.#fill(draft, node, spot);
      const reference = referenceIn(node);
      if (reference !== undefined) {
        const part = this.#follow({ node, document });
        this.#noteReference(draft, part, reference);
        draft.allOf = [part, ...draft.allOf];
      }
    } else if (node.kind === 'scalar' && node.value === false) {
      draft.not = anything(node);
    } else if (!(node.kind === 'scalar' && node.value === true) && !isEmpty(node)) {
      const written = node.kind === 'scalar' ? node.text.value : '';
      this.report.add('wrong-kind', node.span, {
        what: 'A schema',
        expected: 'a map (lines of the form `key: value`)',
        example: typeName.test(written) ? `{ type: ${written} }` : '{ type: string }',
      });
    }
    this.#depth -= 1;
  }

  #fill(draft: SchemaDraft, map: MapNode, { document }: NodeInFile): void {
    const inside = (node: Node): ApiSchema => this.read({ node, document });
    const named = (node: MapNode, keyword: string): ReadonlyMap<string, ApiSchema> => {
      const misplaced = reportMisplaced(
        this.report,
        `'${keyword}'`,
        (reference) => `allOf: [{ $ref: '${reference}' }] as a key of the schema, like '${keyword}'`,
      );
      const parts = namedParts({ node, document }, this.documents, misplaced);
      return new Map(parts.map((part) => [part.key.text.value, this.read({ ...part, node: part.value })]));
    };
    readNestedSchemas(draft, map, inside, named, this.report, (part, reference) => {
      this.#noteReference(draft, part, reference);
    });
    readPlainKeywords(draft, map, document.isYaml, this.#notes, this.report);
    if (keywordValue(map, 'discriminator') !== undefined)
      this.#discriminated.set(draft, { node: map, document });
  }

  #noteReference(draft: ApiSchema, part: ApiSchema, { span }: ScalarNode): void {
    const { references } = this.#notes;
    const parts = references.get(draft) ?? new Map<ApiSchema, Span>();
    if (!parts.has(part)) parts.set(part, span);
    references.set(draft, parts);
  }

  /** The schema after following references repeatedly. */
  #follow(spot: NodeInFile): ApiSchema {
    const seen = new Set<Node>();
    const passed = [spot.node];
    let { node, document } = spot;
    for (;;) {
      const known = this.#behind.get(node);
      if (known !== undefined) return this.#remember(passed, known);
      const reference = referenceIn(node);
      const target = reference && this.documents.target(reference, document);
      if (reference === undefined || target === undefined) return anything(spot.node);
      if (seen.has(target.node)) {
        this.report.add('cyclic-reference', reference.span, { reference: reference.text.value });
        return anything(spot.node);
      }
      seen.add(target.node);
      if (!isAlias(target.node)) return this.#remember(passed, this.#readTarget(target));
      ({ node, document } = target);
      passed.push(node);
    }
  }

  /** Caches the result for every node of a reference chain. */
  #remember(passed: readonly Node[], schema: ApiSchema): ApiSchema {
    for (const node of passed) this.#behind.set(node, schema);
    return schema;
  }

  /** Makes the target of a reference a model, so that code and mappings can name it. */
  #readTarget(target: Target): ApiSchema {
    const schema = this.read(target);
    const draft = this.#drafts.get(target.node);
    if (draft === undefined || draft.model !== undefined) return schema;
    const name = target.tokens.at(-1) ?? target.document.path.replace(/^.*\/|\.\w+$/g, '');
    draft.model = this.#freeName(name);
    this.models.set(draft.model, draft);
    return schema;
  }

  #freeName(wished: string): string {
    let name = wished;
    for (let count = 2; this.#taken.has(name); count += 1) name = `${wished}${count}`;
    this.#taken.add(name);
    return name;
  }
}

/** Maximum number of schemas that are read recursively. */
const maxDepth = 100;

/** True for a reference without other keywords that would further restrict the value. */
function isAlias(node: Node): boolean {
  return (
    node.kind === 'map' &&
    referenceIn(node) !== undefined &&
    node.entries.every(({ key }) => isAnnotation(key.text.value))
  );
}

const typeName = /^(?:string|integer|number|boolean|array|object)$/;

/** Reports schemas that contain themselves other than in a property or element: no value could be valid. */
function reportCycles(
  schemas: Iterable<ApiSchema>,
  { references }: Pick<SchemaNotes, 'references'>,
  report: Report,
): void {
  const done = new Set<ApiSchema>();
  const open = new Set<ApiSchema>();
  /** Schemas being visited, each with the stack height at which it was entered. */
  const opened: { readonly height: number; readonly schema: ApiSchema }[] = [];
  // An explicit stack, because nesting is unlimited. A schema is visited again after its parts.
  const stack: ApiSchema[] = [...schemas].reverse();
  for (let schema = stack.pop(); schema !== undefined; schema = stack.pop()) {
    if (open.has(schema) && stack.length === opened.at(-1)?.height) {
      opened.pop();
      open.delete(schema);
    } else if (open.has(schema)) {
      const around = opened.at(-1)?.schema;
      const span = around && references.get(around)?.get(schema);
      report.add('cyclic-reference', span ?? schema.span, {
        reference: schema.model,
        isSchema: true,
      });
    } else if (!done.has(schema)) {
      done.add(schema);
      open.add(schema);
      opened.push({ height: stack.length, schema });
      const { allOf, anyOf, oneOf, not } = schema;
      const parts = [...allOf, ...anyOf, ...oneOf, ...(not === undefined ? [] : [not])];
      stack.push(schema, ...parts.reverse());
    }
  }
}
