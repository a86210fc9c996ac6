/** An API description as one value without other files: their content is added under `components`. */
import { entryOf, type MapNode, type Node } from '../config/yaml/node.js';
import type { Documents, Target } from './documents.js';
import type { Document } from './node-in-file.js';
import { listBehind, namedParts, type NamedPart } from './named-parts.js';
import { inside, sections, type Part, type Content } from './bundle-shape.js';
import { referenceIn } from './pointer.js';
import type { WrittenDescription } from './api-model.js';

/** A JSON object whose fields are still being added. */
export type OpenMap = Record<string, unknown>;

/** For a description that has been read without errors. */
export function bundle({ documents, main, root }: WrittenDescription): OpenMap {
  return new Bundle(documents, main, root).value;
}

class Bundle {
  readonly value: OpenMap;
  /** The names of parts of other files. */
  readonly #taken = new Map<Node, string>();
  readonly #components: Record<string, OpenMap> = {};
  /** OpenAPI 3.0 has no components for path items: they are written where they are used. */
  readonly #unfolding = new Set<Node>();

  constructor(
    private readonly documents: Documents,
    private readonly main: Document,
    root: MapNode,
  ) {
    const written = entryOf(root, 'components')?.value;
    const own = written?.kind === 'map' ? this.#named(written, main) : [];
    // The names of the file itself first: those of other files are changed.
    for (const { key, value, document } of own) {
      if (value.kind !== 'map') continue;
      const section = key.text.value;
      const parts = this.#named(value, document);
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
      if (part === 'schema' && key === 'discriminator') return this.#discriminator(value, document);
      const content = Object.hasOwn(contents, key) ? contents[key] : undefined;
      return content === undefined ? plain(value) : this.#inner(value, content, document);
    });
  }

  /** Its mapping leads to schemas too: as references, or as bare names of this file. */
  #discriminator(node: Node, document: Document): unknown {
    if (node.kind !== 'map') return plain(node);
    return mapOf(node, (value, key) => {
      if (key !== 'mapping' || value.kind !== 'map') return plain(value);
      return mapOf(value, (name) => {
        if (name.kind !== 'scalar' || !/[#/.]/.test(name.text.value)) return plain(name);
        const target = this.documents.target(name, document);
        return target === undefined ? plain(name) : this.#reference(target, 'schema', name.text.value);
      });
    });
  }

  /** A reference inside the bundle. */
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

/** Component names are letters, digits, `.`, `_` and `-`. */
function freeName(wished: string, taken: OpenMap): string {
  const base = wished.replaceAll(/[^A-Za-z0-9._-]/g, '_');
  let name = base;
  for (let count = 2; Object.hasOwn(taken, name); count += 1) name = `${base}${count}`;
  return name;
}

function mapOf(node: MapNode, valueOf: (value: Node, key: string) => unknown): OpenMap {
  const map: OpenMap = {};
  for (const { key, value } of node.entries) define(map, key.text.value, valueOf(value, key.text.value));
  return map;
}

/** Also where the key is `__proto__`. */
function define(map: OpenMap, key: string, value: unknown): void {
  Object.defineProperty(map, key, { value, enumerable: true, writable: true, configurable: true });
}

/** Data and unknown parts stay as they are. Numbers are those of JavaScript, which reads the page's description. */
function plain(node: Node): unknown {
  if (node.kind === 'map') return mapOf(node, plain);
  if (node.kind === 'list') return node.items.map(plain);
  return node.value;
}
