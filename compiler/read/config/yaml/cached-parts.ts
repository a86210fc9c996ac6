/** The parts of a configuration as the cache stores them: each operation, and everything else. */
import type { Recorded } from '../../diagnostics/finding.js';
import { Recording } from '../../diagnostics/recording.js';
import type { Config, Operation } from '../config-model.js';
import { readPatterns } from '../include/patterns.js';
import type { Entry, MapNode, Node, ScalarNode } from './node.js';
import type { Part } from './parted-text.js';
import { operationEntries, readDatasources, readOthers, rootFields } from '../read-config.js';
import type { DatasourceNames } from '../read-datasource.js';
import { readOperation } from '../read-operation.js';

/** One operation in the cache. */
export interface CachedOperation extends Part {
  readonly name: string;
  /** How many nodes YAML makes of it. */
  readonly nodes: number;
  readonly operation: Operation | undefined;
  /** Diagnostics from reading YAML, and from reading the operation. */
  readonly ofYaml: readonly Recorded[];
  readonly ofReading: readonly Recorded[];
  /** Where it names datasources. */
  readonly uses: DatasourceNames['uses'];
  /** Whether YAML may have refused it: positions in its fixes do not move, so it is read again. */
  readonly isFixed: boolean;
}

/** Everything except the operations, in the cache. */
export interface CachedRest extends Pick<Config, 'authentications' | 'settings'> {
  readonly before: Part;
  readonly after: Part;
  readonly names: DatasourceNames;
  readonly datasources: Config['datasources'];
  /** The patterns of included files. */
  readonly patterns: readonly ScalarNode[];
  /** Diagnostics from reading YAML, before and after the operations. */
  readonly ofBefore: readonly Recorded[];
  readonly ofAfter: readonly Recorded[];
  /** Diagnostics of other sections and of patterns, divided into those before and after the operations'. */
  readonly first: readonly Recorded[];
  readonly last: readonly Recorded[];
}

/** The whole configuration: its operations are in the order of the file. */
export interface CachedParts {
  readonly rest: CachedRest;
  readonly operations: readonly CachedOperation[];
  /** At least as many as YAML makes of it. */
  readonly nodes: number;
}

/** The tree of a file, and the diagnostics of its YAML. */
export interface BuiltParts {
  readonly root: MapNode;
  /** The operations among its parts. */
  readonly operations: readonly Entry[];
  /** The number of its parts. */
  readonly parts: number;
  /** The diagnostics of a part from reading YAML. */
  readonly recorded: (part: Part) => readonly Recorded[];
  /** The text of a part, by its number. */
  readonly partText: (index: number) => string;
  /** Whether YAML refused some of them as they are written. */
  readonly isFixed?: true;
}

export function readRest(
  built: BuiltParts,
  { before, after }: { readonly before: Part; readonly after: Part },
): CachedRest {
  const report = new Recording();
  const fields = rootFields(built.root, report);
  const names = readDatasources(fields, report);
  // The section of the operations is looked at before they are read.
  operationEntries(fields);
  const patterns = readPatterns(fields, report);
  const count = report.all.length;
  const others = readOthers(fields, report);
  return {
    ...others,
    before,
    after,
    names,
    datasources: [...names.read.values()],
    patterns,
    ofBefore: built.recorded(before),
    ofAfter: built.recorded(after),
    first: report.all.slice(0, count),
    last: report.all.slice(count),
  };
}

export function readPart(
  part: Part,
  entry: Entry,
  built: BuiltParts,
  names: DatasourceNames,
): CachedOperation {
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
    isFixed: built.isFixed === true,
  };
}

/** How many nodes YAML makes of it. */
export function countNodes(node: Node): number {
  switch (node.kind) {
    case 'scalar':
      return 1;
    case 'list':
      return node.items.reduce((sum, item) => sum + countNodes(item), 1);
    case 'map':
      return node.entries.reduce((sum, { value }) => sum + 1 + countNodes(value), 1);
  }
}
