/** Reads YAML into nodes with places. The one file that knows the `yaml` package. */
import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Alias,
  type Document,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { Report } from '../diagnostics/report.js';
import type { Place, Source } from '../source.js';
import type { Entry, MapNode, Node, ScalarNode } from './node.js';
import { scalarText } from './scalar-span.js';
import { inQuotes, quotableValue, repairYaml } from './yaml-errors.js';

const maxFileSize = 16 * 1024 * 1024;
const maxNesting = 64;
const maxNodes = 1_000_000;

/** The tree of a YAML text; undefined when it is so broken that nothing behind it could be trusted. */
export function readYaml(source: Source, report: Report): Node | undefined {
  if (Buffer.byteLength(source.text) > maxFileSize) {
    report.add('too-large', { source, start: 0, end: 0 }, { what: 'the file', limit: '16 MiB' });
    return undefined;
  }
  const document = repairYaml(source, report, parse);
  if (document === undefined) return undefined;
  return new Builder(source, document, report).root();
}

function parse(text: string): Document.Parsed {
  return parseDocument(text, {
    version: '1.2',
    merge: true,
    strict: true,
    uniqueKeys: true,
    prettyErrors: false,
    logLevel: 'silent',
    lineCounter: new LineCounter(),
  });
}

/** Makes nodes of the parser's tree; aliases are followed, so a node may come up in several places. */
class Builder {
  #nodes = 0;
  #tooLarge = false;
  readonly #open = new Set<unknown>();

  constructor(
    private readonly source: Source,
    private readonly document: Document.Parsed,
    private readonly report: Report,
  ) {}

  root(): Node | undefined {
    const node = this.#node(this.document.contents, 0, 0);
    return this.#tooLarge ? undefined : node;
  }

  #node(node: unknown, depth: number, at: number): Node {
    this.#nodes += 1;
    const nothing = this.#empty(at);
    if (this.#tooLarge) return nothing;
    if (depth > maxNesting || this.#nodes > maxNodes) {
      this.#tooLarge = true;
      const limit =
        depth > maxNesting
          ? `${maxNesting} levels`
          : `${maxNodes} values, aliases counted where they are used`;
      this.report.add('too-large', nothing.place, { what: depth > maxNesting ? 'nesting' : 'values', limit });
      return nothing;
    }
    if (isAlias(node)) return this.#alias(node as Alias.Parsed, depth);
    if (this.#open.has(node)) return nothing;
    if (isMap(node)) return this.#inside(node, () => this.#map(node as YAMLMap.Parsed, depth));
    if (isSeq(node)) {
      const list = node as YAMLSeq.Parsed;
      const items = this.#inside(node, () =>
        list.items.map((item) => this.#node(item, depth + 1, list.range[0])),
      );
      return { kind: 'list', items, place: this.#place(list) };
    }
    if (isScalar(node)) return this.#scalar(node as Scalar.Parsed);
    return nothing;
  }

  #inside<T>(node: unknown, build: () => T): T {
    this.#open.add(node);
    const built = build();
    this.#open.delete(node);
    return built;
  }

  #alias(alias: Alias.Parsed, depth: number): Node {
    const target = alias.resolve(this.document);
    const place = this.#place(alias);
    if (target === undefined) {
      const value = quotableValue(this.source, this.source.text.lastIndexOf('\n', place.start) + 1);
      const quoted =
        value?.start === place.start ? inQuotes(this.source.text.slice(value.start, value.end)) : undefined;
      this.report.add('unknown-alias', place, { alias: alias.source, quoted });
    } else if (this.#open.has(target)) {
      this.report.add('cyclic-alias', place, { alias: alias.source });
    } else {
      return this.#node(target, depth, alias.range[0]);
    }
    this.report.ignoreInside([place]);
    return this.#empty(place.start);
  }

  #map(map: YAMLMap.Parsed, depth: number): MapNode {
    const entries: Entry[] = [];
    const merged: Entry[] = [];
    for (const pair of map.items) {
      if (!isPair(pair)) continue;
      const key = isAlias(pair.key)
        ? this.#alias(pair.key, depth)
        : this.#node(pair.key, depth, map.range[0]);
      if (key.kind !== 'scalar') {
        this.report.add('text-key', key.place);
        continue;
      }
      const value = this.#node(pair.value, depth + 1, key.place.end);
      if (key.text.value === '<<' && key.style === 'plain') merged.push(...this.#merge(value));
      else if (!this.#isCutText(key, value, entries.at(-1))) entries.push({ key, value });
    }
    const own = new Set(entries.map((entry) => entry.key.text.value));
    for (const entry of merged) {
      if (own.has(entry.key.text.value)) continue;
      own.add(entry.key.text.value);
      entries.push(entry);
    }
    return { kind: 'map', entries, place: this.#place(map) };
  }

  #merge(value: Node): readonly Entry[] {
    if (value.kind === 'map') return value.entries;
    const maps = value.kind === 'list' ? value.items.filter((item) => item.kind === 'map') : [];
    if (value.kind === 'list' && maps.length === value.items.length)
      return maps.flatMap((map) => map.entries);
    this.report.add('wrong-merge', value.place);
    return [];
  }

  /** `{ a: VALUE(ff, $.x) }` is two entries for YAML: the second has no value and closes a bracket that it did not open. */
  #isCutText(key: ScalarNode, value: Node, before: Entry | undefined): boolean {
    if (value.place.end > key.place.end || !key.text.value.includes(')') || before?.value.kind !== 'scalar')
      return false;
    const start = before.value;
    if (start.style !== 'plain' || !start.text.value.includes('(')) return false;
    const place = { source: this.source, start: start.place.start, end: key.place.end };
    const written = this.source.text.slice(place.start, place.end);
    this.report.add('cut-at-comma', place, { quoted: inQuotes(written) });
    this.report.ignoreInside([place]);
    return true;
  }

  #scalar(scalar: Scalar.Parsed): ScalarNode {
    const [start, end] = scalar.range;
    const type = scalar.type ?? 'PLAIN';
    const raw = type === 'PLAIN' || typeof scalar.value !== 'string' ? scalar.source : scalar.value;
    const text = scalarText(this.source, start, end, type, raw);
    const style = type === 'PLAIN' ? 'plain' : type.startsWith('QUOTE') ? 'quoted' : 'block';
    return { kind: 'scalar', value: plainValue(scalar.value), text, style, place: text.place };
  }

  #empty(at: number): ScalarNode {
    const text = scalarText(this.source, at, at, 'PLAIN', '');
    return { kind: 'scalar', value: null, text, style: 'plain', place: text.place };
  }

  #place(node: ParsedNode): Place {
    return { source: this.source, start: node.range[0], end: node.range[1] };
  }
}

function plainValue(value: unknown): ScalarNode['value'] {
  const known = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return known ? value : null;
}
