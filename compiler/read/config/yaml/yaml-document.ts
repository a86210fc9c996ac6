/** Parses YAML to nodes with spans. */
import type { Document } from 'yaml';
import type { Report } from '../../diagnostics/report.js';
import type { Source } from '../../source.js';
import { Budget } from './budget.js';
import type { Node } from './node.js';
import { readPlainYaml } from './plain/plain-yaml.js';
import { maxNesting, NodeBuilder } from './yaml-nodes.js';
import { yamlPackage } from '../../../notation/yaml-package.js';
import { repairYaml } from './yaml-repair.js';

/** Directly nested lists and maps, such as `[[[[` or `- - - -`. The parser recurses for each level. */
const nestingRun = /(?<=^|: )[ \t]*(?:(?:[[{]\s*(?:[^\s,:[\]{}]+: *)?|[-?][ \t]+)){500}/m;

/** The tree of a YAML file; undefined if its content after an error cannot be trusted. */
export function readYaml(source: Source, report: Report, budget = new Budget()): Node | undefined {
  if (budget.takeText(source.text)) return readNodes(source, report, budget);
  report.add('too-large', { source, start: 0, end: 0 }, { what: 'file', limit: budget.textLimit });
  return undefined;
}

/** The tree of a text whose size is already counted in the budget. */
export function readNodes(source: Source, report: Report, budget: Budget): Node | undefined {
  const plain = readPlainYaml(source, depthOf(source), maxNesting);
  const isTaken = plain !== undefined && budget.hasRoomFor(plain.nodes) && budget.takeNodes(plain.nodes);
  return isTaken ? plain.root : readParsed(source, report, budget);
}

/** The root of an included file has the depth of a configuration's operations. */
function depthOf({ includedAs }: Source): number {
  return includedAs === undefined ? 0 : 1;
}

/** The tree from the YAML parser; reports its errors. */
export function readParsed(source: Source, report: Report, budget: Budget): Node | undefined {
  const run = nestingRunIn(source.text);
  if (run !== undefined) {
    reportDepth(source, run, report);
    return undefined;
  }
  let repaired;
  try {
    repaired = repairYaml(source, report, parseYaml);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    reportDepth(source, 0, report);
  }
  return repaired && new NodeBuilder(repaired, report, budget).root(depthOf(source));
}

/** The start of lists or maps that are nested so deep that the parser would overflow the stack. */
export function nestingRunIn(text: string): number | undefined {
  return nestingRun.exec(text)?.index;
}

function reportDepth(source: Source, start: number, report: Report): void {
  report.add('too-large', { source, start, end: start }, { what: 'nesting', limit: `${maxNesting} levels` });
}

/**
 * Parses with the `yaml` package. Throws a RangeError (stack overflow) for thousands of nested levels; for any smaller problem, the
 * document contains errors.
 */
export function parseYaml(text: string): Document.Parsed {
  const document = yamlPackage().parseDocument(text, {
    version: '1.2',
    merge: true,
    strict: true,
    // The parser compares every key with all others; NodeBuilder finds duplicates in one pass.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
  });
  if (document.errors.some(({ code, message }) => code === 'RESOURCE_EXHAUSTION' && /stack/.test(message)))
    throw new RangeError('the stack of the YAML parser has ended');
  return document;
}
