/** Bundles an API description into a single value: parts of other files are added under `components`. */
import { entryOf, type MapNode, type Node } from '../config/yaml/node.js';
import type { Documents, Target } from './documents.js';
import type { Document } from './node-in-file.js';
import { listBehind, namedParts, type MapInFile, type NamedPart } from './named-parts.js';
import { inside, sections, type Part, type Content } from './bundle-shape.js';
import { referenceIn } from './pointer.js';
import { isName, nameIn } from './read-discriminator.js';
import type { WrittenDescription } from './api-model.js';

/** A JSON object that is still being filled. */
export type OpenMap = Record<string, unknown>;

/** An alternative of a `discriminator` whose name differs in the bundle. */
interface Renamed {
  /** The name at the end of the original reference. */
  readonly name: string;
  readonly target: Target;
  /** The reference in the bundle. */
  readonly reference: string;
}

/** Requires a description without errors. */
export function bundle({ documents, main, root }: WrittenDescription): OpenMap {
  return new Bundle(documents, main, root).value;
}

class Bundle {
  readonly value: OpenMap;
  /** References in the bundle to parts of other files. */
  readonly #taken = new Map<Node, string>();
  readonly #components: Record<string, OpenMap> = {};
  /** The named schemas of the main file. */
  readonly #models = new Map<string, NamedPart>();
  /** Path items being copied: OpenAPI 3.0 does not have components for path items, so they are copied to each use. */
  readonly #unfolding = new Set<Node>();

  constructor(
    private readonly documents: Documents,
    private readonly main: Document,
    root: MapNode,
  ) {
    const written = entryOf(root, 'components')?.value;
    const own = written?.kind === 'map' ? this.#named(written, main) : [];
    // Names of the main file are kept, so conflicting names of other files are changed.
    for (const { key, value, document } of own) {
      if (value.kind !== 'map') continue;
      const section = key.text.value;
      const parts = this.#named(value, document);
      if (section === 'schemas') for (const one of parts) this.#models.set(one.key.text.value, one);
      this.#components[section] = Object.fromEntries(parts.map((part) => [part.key.text.value, undefined]));
      for (const part of parts)
        if (part.document !== main)
          this.#taken.set(part.value, `#/components/${section}/${part.key.text.value}`);
    }
    this.value = {};
    for (const { key, value } of root.entries) {
      const name = key.text.value;
      const isPaths = name === 'paths' || name === 'webhooks';
      if (name === 'components') this.value[name] = this.#components;
      else define(this.value, name, isPaths ? this.#inner(value, { each: 'path-item' }, main) : plain(value));
    }
    this.#fillComponents(own);
    if (Object.keys(this.#components).length > 0) this.value['components'] = this.#components;
  }

  #fillComponents(own: readonly NamedPart[]): void {
    for (const { key, value, document } of own) {
      const section = key.text.value;
      const part = Object.hasOwn(sections, section) ? sections[section] : undefined;
      if (part === undefined || value.kind !== 'map') {
        Object.assign(this.#components, { [section]: plain(value) });
        continue;
      }
      const filled = this.#section(section);
      for (const entry of this.#named(value, document))
        define(filled, entry.key.text.value, this.#part(entry.value, part, entry.document));
    }
  }

  #inner(node: Node, content: Content, document: Document): unknown {
    if (typeof content === 'string') return this.#part(node, content, document);
    const list = listBehind({ node, document }, this.documents);
    if (list !== undefined)
      return list.node.items.map((item) => this.#part(item, content.each, list.document));
    if (node.kind !== 'map') return plain(node);
    const map: OpenMap = {};
    for (const { key, value, document: own } of this.#named(node, document))
      define(map, key.text.value, this.#part(value, content.each, own));
    return map;
  }

  #named(node: MapNode, document: Document): readonly NamedPart[] {
    return namedParts({ node, document }, this.documents);
  }

  #part(node: Node, part: Part, document: Document): unknown {
    if (node.kind !== 'map') return plain(node);
    const reference = referenceIn(node);
    const target = reference && this.documents.target(reference, document);
    if (reference === undefined || target === undefined) return this.#map(node, part, document);
    const rest = mapOf(node, plain);
    delete rest['$ref'];
    if (part === 'path-item') return { ...(this.#unfold(target, part) as OpenMap), ...rest };
    return { ...rest, $ref: this.#reference(target, part, reference.text.value) };
  }

  #unfold(target: Target, part: Part): unknown {
    if (this.#unfolding.has(target.node)) return {};
    this.#unfolding.add(target.node);
    const unfolded = this.#part(target.node, part, target.document);
    this.#unfolding.delete(target.node);
    return unfolded;
  }

  #map(node: MapNode, part: Part, document: Document): OpenMap {
    const contents = inside[part];
    return mapOf(node, (value, key) => {
      if (part === 'callback') return this.#part(value, 'path-item', document);
      if (part === 'schema' && key === 'discriminator') return this.#discriminator(value, { node, document });
      const content = Object.hasOwn(contents, key) ? contents[key] : undefined;
      return content === undefined ? plain(value) : this.#inner(value, content, document);
    });
  }

  /** Copies a discriminator. Its mapping refers to schemas by reference or by name; without a mapping, the schema names are the values. */
  #discriminator(discriminator: Node, schema: MapInFile): unknown {
    if (discriminator.kind !== 'map') return plain(discriminator);
    const { document } = schema;
    const written = entryOf(discriminator, 'mapping')?.value;
    if (written !== undefined && written.kind !== 'map') return plain(discriminator);
    const mapped = new Set<Node | undefined>();
    const mapping = mapOf(written ?? { entries: [] }, (name) => {
      if (name.kind !== 'scalar') return plain(name);
      const model = isName(name) ? this.#models.get(name.text.value) : undefined;
      const target = isName(name) ? undefined : this.documents.target(name, document);
      const spot = model === undefined ? target : { node: model.value, document: model.document };
      mapped.add(spot && this.documents.resolve(spot)?.node);
      return target === undefined ? plain(name) : this.#reference(target, 'schema', name.text.value);
    });
    for (const { name, target, reference } of this.#renamed(schema))
      if (!mapped.has(this.documents.resolve(target)?.node) && !Object.hasOwn(mapping, name))
        define(mapping, name, reference);
    return { ...mapOf(discriminator, plain), ...(Object.keys(mapping).length > 0 && { mapping }) };
  }

  /** The alternatives whose name in the bundle differs from that in their references. */
  #renamed({ node, document }: MapInFile): readonly Renamed[] {
    return ['oneOf', 'anyOf'].flatMap((keyword) => {
      const list = entryOf(node, keyword)?.value;
      return (list?.kind === 'list' ? list.items : []).flatMap((item) => {
        const written = referenceIn(item);
        const target = written && this.documents.target(written, document);
        if (written === undefined || target === undefined) return [];
        const name = nameIn(written.text.value);
        const reference = this.#reference(target, 'schema', written.text.value);
        return nameIn(reference) === name ? [] : [{ name, target, reference }];
      });
    });
  }

  /** The reference for the target inside the bundle. */
  #reference({ node, document, tokens }: Target, part: Part, written: string): string {
    if (document === this.main) return `#${written.replace(/^[^#]*#?/, '')}`;
    const known = this.#taken.get(node);
    if (known !== undefined) return known;
    const section = Object.entries(sections).find(([, kind]) => kind === part)?.[0] ?? 'schemas';
    const filled = this.#section(section);
    const name = freeName(tokens.at(-1) ?? document.path.replace(/^.*\/|\.\w+$/g, ''), filled);
    const content = `#/components/${section}/${name}`;
    this.#taken.set(node, content);
    define(filled, name, undefined);
    define(filled, name, this.#part(node, part, document));
    return content;
  }

  #section(name: string): OpenMap {
    return (this.#components[name] ??= {});
  }
}

/** A free component name that consists of letters, digits, `.`, `_` and `-`. */
function freeName(wished: string, taken: OpenMap): string {
  const base = wished.replaceAll(/[^A-Za-z0-9._-]/g, '_');
  let name = base;
  for (let count = 2; Object.hasOwn(taken, name); count += 1) name = `${base}${count}`;
  return name;
}

function mapOf(node: Pick<MapNode, 'entries'>, valueOf: (value: Node, key: string) => unknown): OpenMap {
  const map: OpenMap = {};
  for (const { key, value } of node.entries) define(map, key.text.value, valueOf(value, key.text.value));
  return map;
}

/** Defines a property; unlike assignment, this works for the key `__proto__`. */
function define(map: OpenMap, key: string, value: unknown): void {
  Object.defineProperty(map, key, { value, enumerable: true, writable: true, configurable: true });
}

/** Copies data and unknown parts unchanged. Numbers become JavaScript numbers, because the description is for the test page. */
function plain(node: Node): unknown {
  if (node.kind === 'map') return mapOf(node, plain);
  if (node.kind === 'list') return node.items.map(plain);
  return node.value;
}
