/**
 * Parses a configuration again while it is edited. Operations with unchanged lines stay in the cache, with their diagnostics. If the lines
 * alone do not determine how YAML divides the file, the whole file is parsed.
 */
import { Recording } from '../diagnostics/recording.js';
import type { Report } from '../diagnostics/report.js';
import type { Source } from '../source.js';
import type { Config } from './config-model.js';
import { includedSources, type ConfigFiles } from './include/included-files.js';
import { Budget } from './yaml/budget.js';
import { divideIncluded, divideText } from './yaml/divide-text.js';
import type { CachedOperation, CachedParts, CachedRest } from './yaml/cached-parts.js';
import { PartedReader } from './yaml/parted-reader.js';
import { readConfig } from './read-config.js';
import { reportUnknown, type DatasourceNames } from './read-datasource.js';

/** A configuration that was read in parts. */
export interface PartedConfig {
  readonly config: Config;
  /** The identity of everything except the operations: the same object as long as only operations change. */
  readonly sharedParts: object;
}

export class ConfigCache {
  #rest: CachedRest | undefined;
  #operations: KnownOperations = new Map();
  /** Operations of included files, by file name. */
  #included: ReadonlyMap<string, KnownOperations> = new Map();

  /** Returns and reports the same as `readConfig`; undefined (with nothing reported) if the whole text must be parsed. */
  read(source: Source, report: Report, files: ConfigFiles): PartedConfig | undefined {
    const budget = new Budget();
    const divided = divideText(source.text);
    if (divided === undefined || !budget.takeText(source.text)) return undefined;
    const read = new PartedReader(source, divided, this.#rest, this.#operations).read();
    if (read === undefined || !budget.takeNodes(read.nodes)) return undefined;
    const { rest } = read;
    const ofFiles = new Recording();
    const parts: IncludedPart[] = [];
    for (const file of includedSources(rest.patterns, files, budget, ofFiles)) {
      const part = this.#readIncluded(file, rest);
      if (part === undefined || !budget.takeNodes(part.nodes)) return undefined;
      parts.push({ file, operations: part.operations });
    }
    const all = [...read.operations, ...parts.flatMap(({ operations }) => operations)];
    if (new Set(all.map(({ name }) => name)).size < all.length) return undefined;
    this.#rest = rest;
    this.#operations = known(read.operations);
    this.#included = new Map(parts.map(({ file, operations }) => [file.includedAs ?? '', known(operations)]));
    files.begin(source);
    return { config: replay(source, { ...read, ofFiles, parts }, files, report), sharedParts: rest };
  }

  #readIncluded(file: Source, rest: CachedRest): ReturnType<PartedReader['readIncluded']> {
    const divided = divideIncluded(file.text);
    if (divided === undefined) return undefined;
    const kept = rest === this.#rest ? this.#included.get(file.includedAs ?? '') : undefined;
    return new PartedReader(file, divided, undefined, kept ?? new Map()).readIncluded(rest.names);
  }
}

type KnownOperations = ReadonlyMap<string, CachedOperation>;

/** The operations to keep. The last one is excluded because its end moves when another operation is added after it. */
function known(operations: readonly CachedOperation[]): KnownOperations {
  const kept = operations.slice(0, -1).filter(({ isFixed }) => !isFixed);
  return new Map(kept.map((one) => [one.text, one]));
}

/** An included file and its operations. */
interface IncludedPart {
  readonly file: Source;
  readonly operations: readonly CachedOperation[];
}

/** The configuration and its included files. */
interface AllParts extends CachedParts {
  /** Diagnostics about include patterns and matched files. */
  readonly ofFiles: Recording;
  readonly parts: readonly IncludedPart[];
}

/** Reads the configuration, using the cache if possible. */
export function readKept(
  source: Source,
  report: Report,
  files: ConfigFiles,
  kept: ConfigCache | undefined,
): { readonly config: Config | undefined; readonly sharedParts: object | undefined } {
  const parted = kept?.read(source, report, files);
  return parted ?? { config: readConfig(source, report, files), sharedParts: undefined };
}

/** Reports all diagnostics in the order in which uncached files would report them. */
function replay(
  source: Source,
  { rest, operations: own, ofFiles, parts }: AllParts,
  files: ConfigFiles,
  report: Report,
): Config {
  report.replay(rest.ofBefore);
  for (const { ofYaml } of own) report.replay(ofYaml);
  report.replay(rest.ofAfter);
  report.replay(rest.first);
  report.replay(ofFiles.all);
  for (const { file, operations } of parts) {
    files.begin(file);
    for (const { ofYaml } of operations) report.replay(ofYaml);
  }
  const operations = [...own, ...parts.flatMap((part) => part.operations)];
  const uses: DatasourceNames['uses'] = new Map();
  for (const one of operations) {
    report.replay(one.ofReading);
    for (const [name, spans] of one.uses) {
      const others = uses.get(name);
      if (others === undefined) uses.set(name, [...spans]);
      else others.push(...spans);
    }
  }
  reportUnknown({ ...rest.names, uses }, report);
  report.replay(rest.last);
  return {
    source,
    included: parts.map(({ file }) => file),
    operations: operations.flatMap(({ operation }) => operation ?? []),
    datasources: rest.datasources,
    authentications: rest.authentications,
    functions: rest.functions,
    mcp: rest.mcp,
    settings: rest.settings,
  };
}
