/**
 * A configuration that is parsed again while it is edited: operations whose lines are the same stay in the cache, with their diagnostics.
 * If lines do not show for certain what YAML reads, the whole file is parsed.
 */
import { Recording, replayAll, type Recorded } from '../diagnostics/recording.js';
import type { Report } from '../diagnostics/report.js';
import { Anchor, MovingSpan, type Span, type Source } from '../source.js';
import type { Config, Operation } from './config-model.js';
import { divideText, type DividedText } from './divide-text.js';
import type { Entry, MapNode, Node } from './node.js';
import { PartedText, type Part } from './parted-text.js';
import { operationEntries, readConfig, readDatasources, readOthers, rootFields } from './read-config.js';
import { reportUnknown, type DatasourceNames } from './read-datasource.js';
import { readOperation } from './read-operation.js';
import { isTooLarge, nestingRunIn, parseYaml } from './yaml-document.js';
import { blankDirective, joinDocuments } from './yaml-documents.js';
import { maxNodes, NodeBuilder } from './yaml-nodes.js';

/** A configuration that was read in parts. */
export interface PartedConfig {
  readonly config: Config;
  /** The same object as long as nothing but operations has changed. */
  readonly sharedParts: object;
}

/** What is kept of an operation. */
interface KeptOperation extends Part {
  readonly name: string;
  /** How many nodes YAML makes of it. */
  readonly nodes: number;
  readonly operation: Operation | undefined;
  /** What was reported while YAML was read, and while the operation was. */
  readonly ofYaml: readonly Recorded[];
  readonly ofReading: readonly Recorded[];
  /** Where it names datasources. */
  readonly uses: DatasourceNames['uses'];
}

/** What is kept of everything else. */
interface KeptRest extends Pick<Config, 'authentications' | 'settings'> {
  readonly before: Part;
  readonly after: Part;
  readonly names: DatasourceNames;
  readonly datasources: Config['datasources'];
  /** What was reported while YAML was read, before and behind the operations. */
  readonly ofBefore: readonly Recorded[];
  readonly ofAfter: readonly Recorded[];
  /** What was reported before operations are read, and behind them. */
  readonly first: readonly Recorded[];
  readonly last: readonly Recorded[];
}

export class KeptConfig {
  #rest: KeptRest | undefined;
  #operations: ReadonlyMap<string, KeptOperation> = new Map();

  /** Returns and reports the same as `readConfig`; undefined if the whole text must be read, then nothing is reported. */
  read(source: Source, report: Report): PartedConfig | undefined {
    const divided = divideText(source.text);
    if (divided === undefined || isTooLarge(source.text)) return undefined;
    const readSource = new PartedReader(source, divided, this.#rest, this.#operations);
    const read = readSource.read();
    if (read === undefined) return undefined;
    this.#rest = read.rest;
    // The last one ends where the section does, which is elsewhere when another one follows it.
    this.#operations = new Map(read.operations.slice(0, -1).map((one) => [one.text, one]));
    return { config: replay(source, read, report), sharedParts: read.rest };
  }
}

/** The configuration, read in parts where that is possible. */
export function readKept(
  source: Source,
  report: Report,
  kept: KeptConfig,
): { readonly config: Config | undefined; readonly sharedParts: object | undefined } {
  const parted = kept.read(source, report);
  return parted ?? { config: readConfig(source, report), sharedParts: undefined };
}

interface Read {
  readonly rest: KeptRest;
  readonly operations: readonly KeptOperation[];
}

/** Reports everything in the order in which a whole file is read. */
function replay(source: Source, { rest, operations }: Read, report: Report): Config {
  replayAll(rest.ofBefore, report);
  for (const { ofYaml } of operations) replayAll(ofYaml, report);
  replayAll(rest.ofAfter, report);
  replayAll(rest.first, report);
  const uses: DatasourceNames['uses'] = new Map();
  for (const one of operations) {
    replayAll(one.ofReading, report);
    for (const [name, spans] of one.uses) {
      const others = uses.get(name);
      if (others === undefined) uses.set(name, [...spans]);
      else others.push(...spans);
    }
  }
  reportUnknown({ ...rest.names, uses }, report);
  replayAll(rest.last, report);
  return {
    source,
    operations: operations.flatMap(({ operation }) => operation ?? []),
    datasources: rest.datasources,
    authentications: rest.authentications,
    settings: rest.settings,
  };
}

/** One reading of a text of which parts may be known. */
class PartedReader {
  readonly #known: ReadonlyMap<string, KeptOperation>;
  readonly #rest: KeptRest | undefined;
  /** Where each of the operations begins in the file. */
  readonly #offsets: readonly number[];
  readonly #afterOffset: number;

  constructor(
    private readonly source: Source,
    private readonly divided: DividedText,
    rest: KeptRest | undefined,
    known: ReadonlyMap<string, KeptOperation>,
  ) {
    const isSame = rest?.before.text === divided.before && rest.after.text === divided.after;
    this.#rest = isSame ? rest : undefined;
    this.#known = isSame ? known : new Map();
    let offset = divided.before.length;
    this.#offsets = divided.operations.map((text) => {
      offset += text.length;
      return offset - text.length;
    });
    this.#afterOffset = offset;
  }

  read(): Read | undefined {
    const { before, after, operations } = this.divided;
    const last = operations.length - 1;
    const fresh = operations.flatMap((text, index): NumberedPart[] => {
      const isKept = index < last && this.#known.has(text);
      return isKept ? [] : [{ text, index, anchor: this.#anchor(this.#offsets[index] ?? 0) }];
    });
    const parts = {
      before: { text: before, anchor: this.#anchor(0) },
      after: { text: after, anchor: this.#anchor(this.#afterOffset) },
    };
    const built = this.#build([parts.before, ...fresh, parts.after], fresh);
    if (built === undefined) return undefined;
    const rest = this.#rest ?? readRest(built, parts);
    const entries = operationEntries(rootFields(built.root, new Recording()));
    const read = new Map(
      fresh.flatMap((part, number): [number, KeptOperation][] => {
        const entry = entries[number];
        const own = { ...part, text: built.partText(number + 1) };
        return entry === undefined ? [] : [[part.index, readPart(own, entry, built, rest.names)]];
      }),
    );
    const all = operations.flatMap((text, index) => read.get(index) ?? this.#known.get(text) ?? []);
    const nodes = countNodes(built.root) + all.reduce((sum, one) => sum + one.nodes, 0);
    const isClear = new Set(all.map(({ name }) => name)).size === operations.length && nodes <= maxNodes;
    if (!isClear) return undefined;
    this.#move(rest, all);
    return { rest, operations: all };
  }

  /** What is kept is where it is in this text. */
  #move(rest: KeptRest, operations: readonly KeptOperation[]): void {
    rest.before.anchor.move(this.source, 0);
    rest.after.anchor.move(this.source, this.#afterOffset);
    for (const [index, { anchor }] of operations.entries())
      anchor.move(this.source, this.#offsets[index] ?? 0);
  }

  /** The tree of the parts; undefined if lines do not show what YAML reads. */
  #build(parts: readonly Part[], operations: readonly NumberedPart[]): Built | undefined {
    const text = new PartedText(this.source.path, parts);
    const { readSource } = text;
    const unheard = new Recording();
    if (joinDocuments(readSource, blankDirective(readSource, unheard), unheard) !== readSource.text)
      return undefined;
    if (nestingRunIn(readSource.text) !== undefined) return undefined;
    const document = parsed(readSource.text);
    if (document === undefined || document.errors.length > 0 || document.warnings.length > 0)
      return undefined;
    const report = new Recording();
    const builder = new NodeBuilder({ document, fixed: text, holes: new Set(), lost: [] }, report);
    const root = builder.root();
    if (root?.kind !== 'map' || builder.usesAliases) return undefined;
    const [section, ...others] = root.entries.filter(({ key }) => key.text.value === 'operations');
    if (section?.value.kind !== 'map' || others.length > 0) return undefined;
    const { entries } = section.value;
    const { indent, lead } = this.divided;
    const isDivided =
      entries.length === operations.length &&
      entries.every((entry, index) => {
        const part = operations[index];
        const from = part?.index === 0 ? lead + indent : indent;
        return isAt(entry.key.span, part?.anchor, from) && isByItself(entry);
      });
    if (!isDivided) return undefined;
    const byAnchor = new Map<Anchor | undefined, Recorded[]>();
    for (const recorded of report.all) {
      const { span } = recorded;
      const anchor = span instanceof MovingSpan ? span.anchor : undefined;
      const own = byAnchor.get(anchor);
      if (own === undefined) byAnchor.set(anchor, [recorded]);
      else own.push(recorded);
    }
    return {
      root,
      recorded: (part) => byAnchor.get(part.anchor) ?? [],
      partText: (index) => text.partText(index),
    };
  }

  #anchor(offset: number): Anchor {
    return new Anchor(this.source, offset);
  }
}

/** A part, and which of the operations it is. */
interface NumberedPart extends Part {
  readonly index: number;
}

interface Built {
  readonly root: MapNode;
  /** What was reported of a part while YAML was read. */
  readonly recorded: (part: Part) => readonly Recorded[];
  /** The text of a part, by its number. */
  readonly partText: (index: number) => string;
}

/** Undefined where the parser ends with its stack. */
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

/** Whether the diagnostics of the entry are independent of the entries beside it, which may be pieces of a string that YAML has cut. */
function isByItself({ key, value }: Entry): boolean {
  return (
    key.text.value !== '<<' &&
    (value.kind === 'map' || (value.kind === 'scalar' && !key.text.value.includes(')')))
  );
}

function readRest(
  built: Built,
  { before, after }: { readonly before: Part; readonly after: Part },
): KeptRest {
  const report = new Recording();
  const fields = rootFields(built.root, report);
  const names = readDatasources(fields, report);
  // The section of the operations is looked at before they are read.
  operationEntries(fields);
  const count = report.all.length;
  const others = readOthers(fields, report);
  return {
    ...others,
    before,
    after,
    names,
    datasources: [...names.read.values()],
    ofBefore: built.recorded(before),
    ofAfter: built.recorded(after),
    first: report.all.slice(0, count),
    last: report.all.slice(count),
  };
}

function readPart(part: Part, entry: Entry, built: Built, names: DatasourceNames): KeptOperation {
  const report = new Recording();
  const uses: DatasourceNames['uses'] = new Map();
  const operation = readOperation(entry, { ...names, uses }, report);
  return {
    text: part.text,
    anchor: part.anchor,
    name: entry.key.text.value,
    nodes: countNodes(entry.value) + 1,
    operation,
    ofYaml: built.recorded(part),
    ofReading: report.all,
    uses,
  };
}

function countNodes(node: Node): number {
  switch (node.kind) {
    case 'scalar':
      return 1;
    case 'list':
      return node.items.reduce((sum, item) => sum + countNodes(item), 1);
    case 'map':
      return node.entries.reduce((sum, { value }) => sum + 1 + countNodes(value), 1);
  }
}
