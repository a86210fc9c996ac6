/**
 * A configuration that is parsed again while it is edited: operations whose lines are the same stay in the cache, with their diagnostics.
 * If lines do not show for certain what YAML reads, the whole file is parsed.
 */
import type { Report } from '../diagnostics/report.js';
import type { Source } from '../source.js';
import type { Config } from './config-model.js';
import { divideText } from './yaml/divide-text.js';
import type { CachedOperation, CachedParts, CachedRest } from './yaml/cached-parts.js';
import { PartedReader } from './yaml/parted-reader.js';
import { readConfig } from './read-config.js';
import { reportUnknown, type DatasourceNames } from './read-datasource.js';
import { isTooLarge } from './yaml/yaml-document.js';

/** A configuration that was read in parts. */
export interface PartedConfig {
  readonly config: Config;
  /** One object for everything except the operations: it stays the same object while only operations change. */
  readonly sharedParts: object;
}

export class ConfigCache {
  #rest: CachedRest | undefined;
  #operations: ReadonlyMap<string, CachedOperation> = new Map();

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

/** The configuration, read in parts where they are kept and that is possible. */
export function readKept(
  source: Source,
  report: Report,
  kept: ConfigCache | undefined,
): { readonly config: Config | undefined; readonly sharedParts: object | undefined } {
  const parted = kept?.read(source, report);
  return parted ?? { config: readConfig(source, report), sharedParts: undefined };
}

/** Reports everything in the order in which a whole file is read. */
function replay(source: Source, { rest, operations }: CachedParts, report: Report): Config {
  report.replay(rest.ofBefore);
  for (const { ofYaml } of operations) report.replay(ofYaml);
  report.replay(rest.ofAfter);
  report.replay(rest.first);
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
    operations: operations.flatMap(({ operation }) => operation ?? []),
    datasources: rest.datasources,
    authentications: rest.authentications,
    settings: rest.settings,
  };
}
