/** Reads a configuration with cached parts: only the other parts are parsed. */
import type { Recorded } from '../../diagnostics/finding.js';
import { Recording } from '../../diagnostics/recording.js';
import { Anchor, MovingSpan, type Source, type Span } from '../../source.js';
import type { DividedText } from './divide-text.js';
import {
  countNodes,
  readPart,
  readRest,
  type BuiltParts,
  type CachedOperation,
  type CachedParts,
  type CachedRest,
} from './cached-parts.js';
import { entriesOfIncluded } from '../include/included-operations.js';
import type { DatasourceNames } from '../read-datasource.js';
import type { Entry, MapNode } from './node.js';
import { parsedParts, repairParts } from './fix/broken-parts.js';
import { PartedText, type Part } from './parted-text.js';
import { nestingRunIn, parseYaml } from './yaml-document.js';
import { blankDirective, joinDocuments } from './yaml-documents.js';
import { NodeBuilder } from './yaml-nodes.js';
import type { Repaired } from './yaml-repair.js';

/** Reads a text whose parts may be cached. */
export class PartedReader {
  readonly #known: ReadonlyMap<string, CachedOperation>;
  readonly #rest: CachedRest | undefined;
  /** The offset of each operation in the file. */
  readonly #offsets: readonly number[];
  readonly #afterOffset: number;

  constructor(
    private readonly source: Source,
    private readonly divided: DividedText,
    rest: CachedRest | undefined,
    known: ReadonlyMap<string, CachedOperation>,
  ) {
    const isSame = rest?.before.text === divided.before && rest.after.text === divided.after;
    this.#rest = isSame ? rest : undefined;
    this.#known = isSame || source.includedAs !== undefined ? known : new Map();
    let offset = divided.before.length;
    this.#offsets = divided.operations.map((text) => {
      offset += text.length;
      return offset - text.length;
    });
    this.#afterOffset = offset;
  }

  /** Reads the configuration itself. */
  read(): CachedParts | undefined {
    const { before, after } = this.divided;
    const fresh = this.#fresh();
    const parts = {
      before: { text: before, anchor: this.#anchor(0) },
      after: { text: after, anchor: this.#anchor(this.#afterOffset) },
    };
    const built = this.#build([parts.before, ...fresh, parts.after], fresh) ?? this.#repair(fresh);
    if (built === undefined) return undefined;
    const rest = this.#rest ?? readRest(built, parts);
    const operations = this.#operations(fresh, built, rest.names);
    if (operations === undefined) return undefined;
    rest.before.anchor.move(this.source, 0);
    rest.after.anchor.move(this.source, this.#afterOffset);
    return { rest, operations, nodes: countNodes(built.root) + nodesOf(operations) };
  }

  /** Reads an included file; `names` are the datasources of the configuration. */
  readIncluded(names: DatasourceNames): Omit<CachedParts, 'rest'> | undefined {
    const fresh = this.#fresh();
    if (fresh.length === 0) return undefined;
    const built = this.#build(fresh, fresh) ?? this.#repair(fresh);
    const operations = built && this.#operations(fresh, built, names);
    return operations && { operations, nodes: nodesOf(operations) };
  }

  /** The operations that are not cached. The last one is always read, because its end moves when another operation is added. */
  #fresh(): NumberedPart[] {
    const { operations } = this.divided;
    const last = operations.length - 1;
    return operations.flatMap((text, index): NumberedPart[] => {
      const isKept = index < last && this.#known.has(text);
      return isKept ? [] : [{ text, index, anchor: this.#anchor(this.#offsets[index] ?? 0) }];
    });
  }

  /** All operations, including cached ones, with their current positions; undefined if names are repeated. */
  #operations(
    fresh: readonly NumberedPart[],
    built: BuiltParts,
    names: DatasourceNames,
  ): readonly CachedOperation[] | undefined {
    const { operations } = this.divided;
    const first = built.parts - fresh.length === 0 ? 0 : 1;
    const read = new Map(
      fresh.flatMap((part, number): [number, CachedOperation][] => {
        const entry = built.operations[number];
        const own = { ...part, text: built.partText(number + first) };
        return entry === undefined ? [] : [[part.index, readPart(own, entry, built, names)]];
      }),
    );
    const all = operations.flatMap((text, index) => read.get(index) ?? this.#known.get(text) ?? []);
    if (new Set(all.map(({ name }) => name)).size !== operations.length) return undefined;
    for (const [index, { anchor }] of all.entries()) anchor.move(this.source, this.#offsets[index] ?? 0);
    return all;
  }

  /** The tree of the parts; undefined if the lines do not determine how YAML divides the file. */
  #build(parts: readonly Part[], operations: readonly NumberedPart[]): BuiltParts | undefined {
    const text = new PartedText(this.source, parts);
    const { readSource } = text;
    const unheard = new Recording();
    if (joinDocuments(readSource, blankDirective(readSource, unheard), unheard) !== readSource.text)
      return undefined;
    if (nestingRunIn(readSource.text) !== undefined) return undefined;
    const document = parsed(readSource.text);
    if (document === undefined || document.errors.length > 0 || document.warnings.length > 0)
      return undefined;
    const repaired = { document, fixed: text, holes: new Set<number>(), lost: [] };
    const built = this.#entries(repaired, new Recording());
    if (built === undefined) return undefined;
    const { root, entries, report } = built;
    const { indent, lead } = this.divided;
    const isDivided =
      entries.length === operations.length &&
      entries.every((entry, index) => {
        const part = operations[index];
        const from = part?.index === 0 ? lead + indent : indent;
        return isAt(entry.key.span, part?.anchor, from) && isByItself(entry);
      });
    if (!isDivided) return undefined;
    return {
      root,
      operations: entries,
      parts: parts.length,
      recorded: recordedOf(report),
      partText: (index) => text.partText(index),
    };
  }

  /** Like `#build`, if the only YAML errors are in operations that are not cached. */
  #repair(fresh: readonly NumberedPart[]): BuiltParts | undefined {
    const { operations, after, lead, indent } = this.divided;
    const isIncluded = this.source.includedAs !== undefined;
    // Without cached parts, reading the whole file costs the same.
    if (this.#known.size === 0 || (this.#rest === undefined && !isIncluded)) return undefined;
    const report = new Recording();
    const placed = new Map(
      fresh.map((part) => [part.index, { ...part, offset: this.#offsets[part.index] ?? 0 }]),
    );
    const repaired = repairParts(this.source, this.divided, placed, report);
    const built = repaired && this.#entries(repaired, report);
    if (built === undefined) return undefined;
    const { root, entries } = built;
    const indexes = parsedParts(operations.length, (index) => placed.has(index));
    const isDivided =
      entries.length === indexes.length &&
      entries.every((entry, number) => {
        const index = indexes[number] ?? 0;
        const start = (this.#offsets[index] ?? 0) + indent + (index === 0 ? lead : 0);
        return entry.key.span.start === start && isByItself(entry);
      });
    const section = root.entries.findIndex(({ key }) => key.text.value === 'operations');
    const next = root.entries[section + 1]?.key.span.start;
    const isAlone = isIncluded || next === (after === '' ? undefined : this.#afterOffset);
    if (!isDivided || !isAlone) return undefined;
    return {
      root,
      operations: fresh.flatMap(({ index }) => entries[indexes.indexOf(index)] ?? []),
      parts: fresh.length,
      recorded: recordedOf(report),
      partText: (index) => fresh[index]?.text ?? '',
      isFixed: true,
    };
  }

  /** The tree and its operations. */
  #entries(
    repaired: Repaired,
    report: Recording,
  ): { readonly root: MapNode; readonly entries: readonly Entry[]; readonly report: Recording } | undefined {
    const builder = new NodeBuilder(repaired, report);
    const isIncluded = this.source.includedAs !== undefined;
    const root = builder.root(isIncluded ? 1 : 0);
    if (root?.kind !== 'map' || builder.usesAliases) return undefined;
    const entries = isIncluded ? this.#entriesOf(root) : this.#section(root);
    return entries && { root, entries, report };
  }

  /** The operations of a configuration; undefined if YAML finds a different section than `divideText` did. */
  #section({ entries }: MapNode): readonly Entry[] | undefined {
    const [section, ...others] = entries.filter(({ key }) => key.text.value === 'operations');
    if (section === undefined) return this.divided.operations.length === 0 ? [] : undefined;
    return section.value.kind === 'map' && others.length === 0 ? section.value.entries : undefined;
  }

  /** The operations of an included file; undefined if the file contains anything else. */
  #entriesOf(root: MapNode): readonly Entry[] | undefined {
    const report = new Recording();
    const entries = entriesOfIncluded(root, this.source, report);
    return report.all.length === 0 ? entries : undefined;
  }

  #anchor(offset: number): Anchor {
    return new Anchor(this.source, offset);
  }
}

function nodesOf(operations: readonly CachedOperation[]): number {
  return operations.reduce((sum, one) => sum + one.nodes, 0);
}

/** The recorded diagnostics, by part. */
function recordedOf(report: Recording): BuiltParts['recorded'] {
  const byAnchor = new Map<Anchor | undefined, Recorded[]>();
  for (const recorded of report.all) {
    const { span } = recorded;
    const anchor = span instanceof MovingSpan ? span.anchor : undefined;
    const own = byAnchor.get(anchor);
    if (own === undefined) byAnchor.set(anchor, [recorded]);
    else own.push(recorded);
  }
  return (part) => byAnchor.get(part.anchor) ?? [];
}

/** A part and the index of its operation. */
interface NumberedPart extends Part {
  readonly index: number;
}

/** Parses a text; undefined if the parser overflows the stack. */
function parsed(text: string): ReturnType<typeof parseYaml> | undefined {
  try {
    return parseYaml(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

function isAt(span: Span, anchor: Anchor | undefined, from: number): boolean {
  return span instanceof MovingSpan && span.anchor === anchor && span.from === from;
}

/** Whether the diagnostics of the entry are independent of its neighbors, which could be pieces of a string cut by YAML. */
function isByItself({ key, value }: Entry): boolean {
  return (
    key.text.value !== '<<' &&
    (value.kind === 'map' || (value.kind === 'scalar' && !key.text.value.includes(')')))
  );
}
