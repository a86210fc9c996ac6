/** Converts the YAML parser's tree to nodes with spans: resolves aliases and merge keys, reports duplicate keys and cut strings. */
import type { Alias, Document, ParsedNode, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import type { Report } from '../../diagnostics/report.js';
import { nearest } from '../../diagnostics/suggest.js';
import type { Span, Source } from '../../source.js';
import { Budget } from './budget.js';
import { isBroken, type Entry, type MapNode, type Node, type ScalarNode } from './node.js';
import { joinCutEntries } from './cut-text.js';
import { areFields } from '../meant-fields.js';
import type { ReadText } from './fix/yaml-fixed.js';
import type { Repaired } from './yaml-repair.js';
import { quotableValue } from './quotable.js';
import { scalarText } from './scalar-span.js';
import { yamlPackage } from '../../../notation/yaml-package.js';

export const maxNesting = 64;

/** Converts the parser's tree to nodes. Aliases are resolved, so a node can occur several times. */
export class NodeBuilder {
  #tooLarge = false;
  readonly #open = new Set<unknown>();
  readonly #anchors = new Map<string, unknown>();
  /** All anchor names in the file, computed on first use. */
  #written: Set<string | undefined> | undefined;
  /** The target of each alias: the last preceding node with that anchor. */
  readonly #targets = new Map<unknown, unknown>();

  #usesAliases = false;
  readonly #yaml = yamlPackage();

  /** The parsed source. Spans are converted to those of the file. */
  private readonly source: Source;

  private readonly fixed: ReadText;
  private readonly document: Document.Parsed;

  constructor(
    private readonly repaired: Repaired,
    private readonly report: Report,
    private readonly budget = new Budget(),
  ) {
    const { document, fixed } = repaired;
    this.fixed = fixed;
    this.document = document;
    this.source = fixed.readSource;
    // Most configurations have no anchors, so skip the search.
    if (!this.source.text.includes('&')) return;
    this.#yaml.visit(document, {
      Node: (_, node) => {
        if (this.#yaml.isAlias(node)) this.#targets.set(node, this.#anchors.get(node.source));
        else if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
      },
    });
  }

  /** The tree, whose root is at that depth; undefined if it is too large. */
  root(depth = 0): Node | undefined {
    const node = this.#node(this.document.contents, depth, 0);
    return this.#tooLarge ? undefined : node;
  }

  #node(node: unknown, depth: number, at: number): Node {
    if (this.#tooLarge) return this.#empty(at);
    if (depth > maxNesting || !this.budget.takeNodes(1)) {
      this.#tooLarge = true;
      const limit = depth > maxNesting ? `${maxNesting} levels` : this.budget.valueLimit;
      const nothing = this.#empty(at);
      this.report.add('too-large', nothing.span, { what: depth > maxNesting ? 'nesting' : 'values', limit });
      return nothing;
    }
    if (this.#yaml.isAlias(node)) return this.#alias(node as Alias.Parsed, depth);
    if (this.#open.has(node)) return this.#empty(at);
    if (this.#yaml.isMap(node)) return this.#inside(node, () => this.#map(node as YAMLMap.Parsed, depth));
    if (this.#yaml.isSeq(node)) {
      const list = node as YAMLSeq.Parsed;
      const items = this.#inside(node, () =>
        list.items.map((item) => this.#node(item, depth + 1, list.range[0])),
      );
      return { kind: 'list', items, span: this.#span(list) };
    }
    if (this.#yaml.isScalar(node)) return this.#scalar(node as Scalar.Parsed);
    return this.#empty(at);
  }

  #inside<T>(node: unknown, build: () => T): T {
    this.#open.add(node);
    const built = build();
    this.#open.delete(node);
    return built;
  }

  /** Whether there are aliases, so that a part of the file can be used several times. */
  get usesAliases(): boolean {
    return this.#usesAliases;
  }

  #alias(alias: Alias.Parsed, depth: number): Node {
    this.#usesAliases = true;
    const target = this.#targets.get(alias);
    const span = this.#span(alias);
    if (target === undefined && this.#isAnchorUnread(alias.source, span)) {
      // The anchor is in a part that could not be read, which has been reported.
    } else if (target === undefined) {
      const [start, end] = alias.range;
      const value = quotableValue(this.source, this.source.text.lastIndexOf('\n', start) + 1);
      const isWhole = value?.span.start === start && value.span.end === end;
      if (isWhole && value.isSecret) {
        const problem = value.reason ?? '';
        this.report.add('needs-quotes', span, { problem, quoted: value.quoted, isInDoubleQuotes: false });
      } else {
        const later = this.#anchors.get(alias.source);
        this.report.add('unknown-alias', span, {
          alias: alias.source,
          nearest: later === undefined ? nearest(alias.source, this.#anchors.keys()) : undefined,
          quoted: isWhole ? value.quoted : undefined,
          later: later === undefined ? undefined : this.#span(later as ParsedNode),
          isIncluded: this.source.includedAs !== undefined,
        });
      }
    } else if (this.#open.has(target)) {
      this.report.add('cyclic-alias', span, { alias: alias.source });
    } else {
      this.report.addAlias(this.#span(target as ParsedNode), span);
      return this.#node(target, depth, alias.range[0]);
    }
    return { ...this.#empty(alias.range[0]), span, isBroken: true };
  }

  /** Whether the anchor is in an unreadable part of the file. */
  #isAnchorUnread(name: string, { source }: Span): boolean {
    if (!this.report.isIncomplete(source)) return false;
    this.#written ??= new Set([...source.text.matchAll(/&([^\s,[\]{}]+)/g)].map(([, anchor]) => anchor));
    return this.#written.has(name);
  }

  #map(map: YAMLMap.Parsed, depth: number): MapNode {
    const entries: Entry[] = [];
    const merged: Entry[] = [];
    const own = new Map<string, ScalarNode>();
    let isIncomplete = this.#hasLost(map);
    for (const pair of map.items) {
      if (!this.#yaml.isPair(pair)) continue;
      const key = this.#yaml.isAlias(pair.key)
        ? this.#alias(pair.key, depth)
        : this.#node(pair.key, depth, map.range[0]);
      if (key.kind !== 'scalar') {
        this.report.add('text-key', key.span);
        continue;
      }
      if (key.isBroken) {
        isIncomplete = true;
        continue;
      }
      const value = this.#node(pair.value, depth + 1, this.#endOf(pair.key, map.range[0]));
      if (this.#tooLarge) break;
      const name = key.text.value;
      if (name === '<<' && key.style === 'plain') {
        const part = this.#merge(value);
        if (part === undefined) isIncomplete = true;
        else merged.push(...part);
      } else {
        const beginning = joinCutEntries(entries, { key, value }, this.report);
        if (beginning !== undefined) {
          for (const piece of entries.splice(beginning + 1)) own.delete(piece.key.text.value);
          continue;
        }
        const first = own.get(name);
        if (first === undefined) own.set(name, key);
        else
          this.#reportDuplicate(key, first, {
            holdsMaps: value.kind === 'map',
            isField: areFields(own.keys(), name),
          });
        entries.push({ key, value });
      }
    }
    for (const entry of merged) {
      if (own.has(entry.key.text.value)) continue;
      own.set(entry.key.text.value, entry.key);
      entries.push(entry);
    }
    const node: MapNode = { kind: 'map', entries, span: this.#span(map) };
    return isIncomplete ? { ...node, isIncomplete } : node;
  }

  /** Whether a line of the map was left out. */
  #hasLost({ range: [start, , end] }: YAMLMap.Parsed): boolean {
    return this.repaired.lost.some((offset) => offset >= start && offset < end);
  }

  #reportDuplicate(
    key: ScalarNode,
    first: ScalarNode,
    kind: { readonly holdsMaps: boolean; readonly isField: boolean },
  ): void {
    const names = { key: key.text.value, first: first.span, here: key.span };
    this.report.add('duplicate-key', key.span, { ...names, ...kind });
  }

  /** The entries added by a merge key; undefined if unknown. */
  #merge(value: Node): readonly Entry[] | undefined {
    if (value.kind === 'map') return value.isIncomplete ? undefined : value.entries;
    if (isBroken(value)) return undefined;
    const items = value.kind === 'list' ? value.items : [value];
    const maps = items.filter((item) => item.kind === 'map');
    if (value.kind !== 'list' || items.some((item) => item.kind !== 'map' && !isBroken(item))) {
      this.report.add('wrong-merge', value.span);
      return undefined;
    }
    return maps.length < items.length ? undefined : maps.flatMap((map) => map.entries);
  }

  #scalar(scalar: Scalar.Parsed): ScalarNode {
    const [start, end] = scalar.range;
    const type = scalar.type ?? 'PLAIN';
    if (scalar.tag !== undefined && otherKinds.test(scalar.tag)) {
      const tag = `!!${scalar.tag.split(':').at(-1) ?? ''}`;
      this.report.add('yaml-tag', this.#spanOfTag(start) ?? this.#span(scalar), { tag, quoted: undefined });
    }
    const raw = type === 'PLAIN' || typeof scalar.value !== 'string' ? scalar.source : scalar.value;
    const text = this.fixed.scalar(scalarText(this.source, start, end, type, raw));
    const style = type === 'PLAIN' ? 'plain' : type.startsWith('QUOTE') ? 'quoted' : 'block';
    const node = { kind: 'scalar', value: plainValue(scalar.value), text, style, span: text.span } as const;
    return this.repaired.holes.has(start) ? { ...node, isBroken: true } : node;
  }

  /** The span of the tag before a value on the same line; undefined if the tag is elsewhere. */
  #spanOfTag(value: number): Span | undefined {
    const lineStart = this.source.text.lastIndexOf('\n', value - 1) + 1;
    const before = this.source.text.slice(Math.max(lineStart, value - 100), value).trimEnd();
    const tag = before.split(/\s/).at(-1) ?? '';
    const end = Math.max(lineStart, value - 100) + before.length;
    return tag.startsWith('!') ? { source: this.source, start: end - tag.length, end } : undefined;
  }

  #empty(at: number): ScalarNode {
    const text = this.fixed.scalar(scalarText(this.source, at, at, 'PLAIN', ''));
    return { kind: 'scalar', value: null, text, style: 'plain', span: text.span };
  }

  #endOf(key: unknown, otherwise: number): number {
    return this.#yaml.isNode(key) && key.range ? key.range[1] : otherwise;
  }

  #span(node: ParsedNode): Span {
    return this.fixed.span({ start: node.range[0], end: node.range[1] });
  }
}

/** YAML tags whose values are not strings, numbers, booleans or null. */
const otherKinds = /^tag:yaml\.org,2002:(?:binary|omap|pairs|set|timestamp)$/;

function plainValue(value: unknown): ScalarNode['value'] {
  const known = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return known ? value : null;
}
