/** The cached parts of a configuration: each operation, and everything else. */
import type { Recorded } from '../../diagnostics/finding.js';
import { Recording } from '../../diagnostics/recording.js';
import type { Config, Operation } from '../config-model.js';
import { readPatterns } from '../include/patterns.js';
import type { Entry, MapNode, Node, ScalarNode } from './node.js';
import type { Part } from './parted-text.js';
import { operationEntries, readDatasources, readOthers, rootFields } from '../read-config.js';
import type { DatasourceNames } from '../read-datasource.js';
import { readOperation } from '../read-operation.js';

/** A cached operation. */
export interface CachedOperation extends Part {
  readonly name: string;
  /** The number of YAML nodes in the operation. */
  readonly nodes: number;
  readonly operation: Operation | undefined;
  /** Diagnostics from YAML parsing and from reading the operation. */
  readonly ofYaml: readonly Recorded[];
  readonly ofReading: readonly Recorded[];
  /** Datasources used by the operation, with spans. */
  readonly uses: DatasourceNames['uses'];
  /** True if YAML parsing may have failed. Positions inside fixes cannot be moved, so such an operation is read again. */
  readonly isFixed: boolean;
}

/** The cached content except for the operations. */
export interface CachedRest extends Pick<Config, 'authentications' | 'functions' | 'mcp' | 'settings'> {
  readonly before: Part;
  readonly after: Part;
  readonly names: DatasourceNames;
  readonly datasources: Config['datasources'];
  /** The patterns in `include`. */
  readonly patterns: readonly ScalarNode[];
  /** Diagnostics from YAML parsing, before and after the operations. */
  readonly ofBefore: readonly Recorded[];
  readonly ofAfter: readonly Recorded[];
  /** Diagnostics of other sections and of include patterns, before and after those of the operations. */
  readonly first: readonly Recorded[];
  readonly last: readonly Recorded[];
}

/** The whole configuration, with operations in file order. */
export interface CachedParts {
  readonly rest: CachedRest;
  readonly operations: readonly CachedOperation[];
  /** An upper bound for the number of YAML nodes. */
  readonly nodes: number;
}

/** The tree of a file, and its YAML diagnostics. */
export interface BuiltParts {
  readonly root: MapNode;
  /** The operations among the parts. */
  readonly operations: readonly Entry[];
  /** The number of parts. */
  readonly parts: number;
  /** The YAML diagnostics of a part. */
  readonly recorded: (part: Part) => readonly Recorded[];
  /** The text of a part, by index. */
  readonly partText: (index: number) => string;
  /** True if YAML parsing failed for some parts without fixes. */
  readonly isFixed?: true;
}

export function readRest(
  built: BuiltParts,
  { before, after }: { readonly before: Part; readonly after: Part },
): CachedRest {
  const report = new Recording();
  const fields = rootFields(built.root, report);
  const names = readDatasources(fields, report);
  // Report problems of the section itself before those of its operations.
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

/** The number of YAML nodes in a tree. */
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
