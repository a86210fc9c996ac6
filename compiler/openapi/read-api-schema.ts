/** Reads the schemas of an API description: references become the schemas that they refer to, so the result is a graph. */
import { entryOf, isEmpty, type Entry, type MapNode, type Node, type ScalarNode } from '../config/node.js';
import type { Report } from '../diagnostics/report.js';
import type { Span } from '../source.js';
import type { Documents, Target } from './documents.js';
import type { NodeInFile } from './node-in-file.js';
import {
  boundsOf,
  enumOf,
  isAnnotation,
  patternProblem,
  slowPattern,
  typesOf,
  unchecked,
} from './schema-keywords.js';
import { longestSlow } from '../../runtime/validate/pattern.js';
import type { ApiSchema } from './api-model.js';
import { referenceIn } from './pointer.js';
import { boundError, defaultValue, isOf, typedValue, type Typed } from './literal-values.js';

/** A schema that is being read. */
type Draft = { -readonly [Field in keyof ApiSchema]: ApiSchema[Field] };

export class SchemaReader {
  /** The models by their names. */
  readonly models = new Map<string, ApiSchema>();
  readonly #drafts = new Map<Node, Draft>();
  /** What references lead to in the end. */
  readonly #behind = new Map<Node, ApiSchema>();
  /** Where a schema refers to its parts: those of `allOf` and the like, not of properties. */
  readonly #references = new Map<ApiSchema, Map<ApiSchema, Span>>();
  /** How many schemas are being read, one inside the other. */
  #depth = 0;
  readonly #later: (() => void)[] = [];
  readonly #names = new Map<Node, string>();
  readonly #taken = new Set<string>();
  readonly #reported = new Set<string>();
  readonly #defaults = new Map<ApiSchema, { readonly node: Node; readonly typed: Typed }>();

  constructor(
    private readonly documents: Documents,
    private readonly report: Report,
  ) {}

  /** Assigns the schemas under `components` their names, which schemas of other files cannot take. */
  readModels(entries: readonly Entry[], { document }: NodeInFile): void {
    const named = entries.map(({ key, value }) => ({
      name: key.text.value,
      spot: { node: value, document },
    }));
    for (const { name, spot } of named) {
      this.#taken.add(name);
      if (!isAlias(spot.node)) this.#names.set(spot.node, name);
    }
    for (const { name, spot } of named) {
      const reference = isAlias(spot.node) ? referenceIn(spot.node) : undefined;
      const target = reference && this.documents.target(reference, document);
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
    const draft: Draft = { ...anything(node), model: this.#names.get(node) };
    this.#drafts.set(node, draft);
    // Models may lead from one to the next without end: what is far inside is read when the stack is empty again.
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

  #complete(draft: Draft, spot: NodeInFile): void {
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

  /** Reports schemas that contain themselves other than in a property or an element: no value could ever be valid. */
  reportCycles(): void {
    const done = new Set<ApiSchema>();
    const open = new Set<ApiSchema>();
    /** How high the stack was when each of them was opened. */
    const opened: { readonly height: number; readonly schema: ApiSchema }[] = [];
    // With a stack of its own, since parts may hold parts without end; a schema is met again behind its parts.
    const stack: ApiSchema[] = [...this.#drafts.values()].reverse();
    for (let schema = stack.pop(); schema !== undefined; schema = stack.pop()) {
      if (open.has(schema) && stack.length === opened.at(-1)?.height) {
        opened.pop();
        open.delete(schema);
      } else if (open.has(schema)) {
        const around = opened.at(-1)?.schema;
        const span = around && this.#references.get(around)?.get(schema);
        this.report.add('cyclic-reference', span ?? schema.span, {
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

  #noteReference(draft: ApiSchema, part: ApiSchema, { span }: ScalarNode): void {
    const parts = this.#references.get(draft) ?? new Map<ApiSchema, Span>();
    if (!parts.has(part)) parts.set(part, span);
    this.#references.set(draft, parts);
  }

  /** The schema behind a reference, and behind others that it leads to. */
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

  /** A long chain of references is followed once. */
  #remember(passed: readonly Node[], schema: ApiSchema): ApiSchema {
    for (const node of passed) this.#behind.set(node, schema);
    return schema;
  }

  /** Reports a `$ref` instead of a name: `properties: { $ref: … }` has one property, whose schema is a string. */
  #isReferenceAmong({ key, value }: Entry, field: string): boolean {
    if (key.text.value !== '$ref' || value.kind !== 'scalar') return false;
    this.report.add('wrong-kind', key.span, {
      what: `'$ref' in '${field}'`,
      expected: 'the name of a property',
      example: `allOf: [{ $ref: '${value.text.value}' }] as a key of the schema, like '${field}'`,
    });
    return true;
  }

  /** What references lead to is a model, so that code and mappings can name it. */
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

  #fill(draft: Draft, map: MapNode, { document }: NodeInFile): void {
    const inside = (node: Node): ApiSchema => this.read({ node, document });
    const value = (key: string): Node | undefined => {
      const node = entryOf(map, key)?.value;
      return node === undefined || isEmpty(node) ? undefined : node;
    };
    const part = (node: Node): ApiSchema => {
      const read = inside(node);
      const reference = referenceIn(node);
      if (reference !== undefined) this.#noteReference(draft, read, reference);
      return read;
    };
    const schema = (key: string): ApiSchema | undefined => {
      const node = value(key);
      return node && part(node);
    };
    const schemas = (key: string): ApiSchema[] => this.#items(value(key), key).map(part);
    const byName = (key: string): ReadonlyMap<string, ApiSchema> =>
      new Map(
        this.#entries(value(key), key).flatMap((entry) =>
          this.#isReferenceAmong(entry, key) ? [] : [[entry.key.text.value, inside(entry.value)]],
        ),
      );

    draft.properties = byName('properties');
    draft.requiredSpan = value('required')?.span;
    draft.required = this.#items(value('required'), 'required').flatMap((item) =>
      item.kind === 'scalar' ? [item.text.value] : [],
    );
    const additional = value('additionalProperties');
    draft.additionalProperties =
      additional?.kind === 'scalar' && typeof additional.value === 'boolean'
        ? additional.value
          ? undefined
          : false
        : additional && inside(additional);
    if (additional?.kind === 'scalar' && additional.value === true) draft.isOpen = true;
    draft.allOf = schemas('allOf');
    draft.anyOf = schemas('anyOf');
    draft.oneOf = schemas('oneOf');
    draft.not = schema('not');
    const items = value('items');
    const prefixItems = items?.kind === 'list' ? items.items.map(inside) : schemas('prefixItems');
    if (items?.kind !== 'list') draft.items = items && inside(items);
    if (prefixItems.length > 0) draft.prefixItems = prefixItems;
    const patterns = byName('patternProperties');
    if (patterns.size > 0) draft.patternProperties = patterns;
    this.#fillPlain(draft, map, value, document.isYaml);
  }

  /** The keywords that hold no schemas. */
  #fillPlain(draft: Draft, map: MapNode, value: (key: string) => Node | undefined, isYaml: boolean): void {
    const reportKeyword = (node: Node, keyword: string, problem: string): void => {
      this.report.add('schema-keyword', node.span, { keyword, problem });
    };
    const isTrue = (key: string): boolean => {
      const node = value(key);
      return node?.kind === 'scalar' && node.value === true;
    };
    const nullable = isTrue('nullable');
    draft.types = typesOf(value('type'), nullable, reportKeyword);
    const typed = { types: draft.types, isYaml };
    const [listed, constant] = [value('enum'), value('const')];
    draft.enum = enumOf(listed, constant, typed, reportKeyword);
    this.#checkTypes(listed?.kind === 'list' ? listed.items : [], 'enum', typed);
    if (constant !== undefined) this.#checkTypes([constant], 'const', typed);
    draft.bounds = boundsOf(value, reportKeyword);
    if (nullable) draft.nullable = true;
    if (isTrue('readOnly')) draft.readOnly = true;
    const [format, description, standard] = [value('format'), value('description'), value('default')];
    if (format?.kind === 'scalar') draft.format = format.text.value;
    // What 3.0 calls the format binary.
    else if (isBinary(value('contentMediaType'))) draft.format = 'binary';
    if (description?.kind === 'scalar') draft.description = description.text.value;
    if (standard !== undefined) {
      draft.default = defaultValue(standard, typed)?.value;
      this.#defaults.set(draft, { node: standard, typed });
    }
    this.#checkPatterns(map);
    const pattern = value('pattern');
    const slow = slowPattern(String(draft.bounds.get('pattern') ?? ''));
    if (
      pattern !== undefined &&
      slow !== undefined &&
      !(Number(draft.bounds.get('maxLength')) <= longestSlow)
    )
      this.report.add('slow-pattern', pattern.span, { reason: slow, longest: longestSlow });
    for (const { key } of map.entries) {
      const keyword = key.text.value;
      if (!unchecked.has(keyword) || this.#reported.has(keyword)) continue;
      this.#reported.add(keyword);
      reportKeyword(key, keyword, 'it is not checked');
    }
  }

  /** Values that are not of the type; one of them is reported. */
  #checkTypes(nodes: readonly Node[], keyword: string, typed: Typed): void {
    const { types } = typed;
    const others = nodes.filter(
      (node) =>
        types !== undefined &&
        !isOf(node, types) &&
        !(types.includes('string') && typeof typedValue(node, typed) === 'string'),
    );
    const [first] = others;
    if (first === undefined || types === undefined) return;
    const written = first.kind === 'scalar' ? first.text.value : undefined;
    this.report.add('value-of-other-type', first.span, {
      ...{ keyword, written, types, isNull: first.kind === 'scalar' && first.value === null },
      isQuoted: first.kind === 'scalar' && first.style === 'quoted',
      more: others.length - 1,
    });
  }

  /** Reports a default that is not a value of its schema: only those of parameters are used. */
  checkDefault(schema: ApiSchema): void {
    const found = this.#defaults.get(schema);
    if (found === undefined) return;
    const { node, typed } = found;
    const read = defaultValue(node, typed);
    const written = node.kind === 'scalar' ? node.text.value : undefined;
    if (read === undefined || read.isTurned) {
      const type = typed.types?.join(' or ') ?? '';
      this.report.add('wrong-default', node.span, {
        written,
        problem: `its type is ${type}`,
        isUsed: read !== undefined,
      });
      return;
    }
    const problem = boundError(read.value, schema);
    if (problem !== undefined)
      this.report.add('wrong-default', node.span, { written, problem, isUsed: true });
  }

  #checkPatterns(map: MapNode): void {
    const pattern = entryOf(map, 'pattern')?.value;
    const names = entryOf(map, 'patternProperties')?.value;
    const nodes = [pattern, ...(names?.kind === 'map' ? names.entries.map(({ key }) => key) : [])];
    for (const node of nodes) {
      if (node?.kind !== 'scalar') continue;
      const problem = patternProblem(node.text.value);
      if (problem !== undefined)
        this.report.add('wrong-pattern', node.span, { problem, pattern: node.text.value });
      // An anchor inside: /^abc$/ can match nothing, while /news/ is a path.
      const inside = /^\/(\^.*|.*[^\\]\$)\/[a-z]*$/s.exec(node.text.value)?.[1];
      if (inside !== undefined) this.report.add('pattern-with-slashes', node.span, { inside });
    }
  }

  #items(node: Node | undefined, keyword: string): readonly Node[] {
    if (node === undefined || node.kind === 'list') return node?.items ?? [];
    this.report.add('schema-keyword', node.span, { keyword, problem: 'it must be a list' });
    return [];
  }

  #entries(node: Node | undefined, keyword: string): readonly Entry[] {
    if (node === undefined || node.kind === 'map') return node?.entries ?? [];
    this.report.add('schema-keyword', node.span, { keyword, problem: 'it must be a map' });
    return [];
  }
}

/** So many schemas are read one inside the other. */
const maxDepth = 100;

/** True for a reference without other keywords that would restrict the value further. */
function isAlias(node: Node): boolean {
  return (
    node.kind === 'map' &&
    referenceIn(node) !== undefined &&
    node.entries.every(({ key }) => isAnnotation(key.text.value))
  );
}

function isBinary(mediaType: Node | undefined): boolean {
  return mediaType?.kind === 'scalar' && !/^(?:text\/|application\/(?:json|xml))/.test(mediaType.text.value);
}

/** The schema that accepts every value. */
export function anything({ span }: Pick<Node, 'span'>): ApiSchema {
  return {
    ...{ model: undefined, span, types: undefined, properties: new Map(), required: [] },
    ...{ additionalProperties: undefined, items: undefined, allOf: [], anyOf: [], oneOf: [], not: undefined },
    ...{ enum: undefined, format: undefined, bounds: new Map(), default: undefined, description: undefined },
  };
}

const typeName = /^(?:string|integer|number|boolean|array|object)$/;
