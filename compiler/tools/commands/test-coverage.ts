/** Prints the coverage of a run, and writes it for programs and people. */
import { screen, type Shown } from '../../notation/screen-writer.js';
import type { Compilation } from '../../compile.js';
import type { CoverCounts } from '../testing/cover-counts.js';
import { coverageOf, type CoverageSummary } from '../testing/coverage.js';
import { coveragePage } from '../testing/print/coverage-page.js';
import { printLcov } from '../testing/print/print-lcov.js';
import { coverageTable } from '../testing/print/print-coverage.js';
import type { Terminal } from './shared/output/terminal.js';
import { writeOutput } from './test-update.js';

export interface CoverageOptions {
  readonly coverage?: boolean;
  /** Output files. */
  readonly coverageLcov?: string;
  readonly coverageHtml?: string;
  /** Minimum percentage. */
  readonly coverageThreshold?: number;
}

export interface ReportedCoverage {
  readonly text: Shown;
  readonly summary: CoverageSummary;
  readonly percent: number;
  readonly isBelowThreshold: boolean;
}

/** Undefined if coverage was not requested. */
export function reportCoverage(
  { config, points }: Compilation,
  counts: CoverCounts,
  { coverage, coverageLcov, coverageHtml, coverageThreshold }: CoverageOptions,
  terminal: Terminal,
): ReportedCoverage | undefined {
  const isWanted =
    coverage === true ||
    [coverageLcov, coverageHtml, coverageThreshold].some((option) => option !== undefined);
  if (!isWanted || config === undefined) return undefined;
  const found = coverageOf(config, points, counts);
  if (coverageLcov !== undefined) writeOutput(coverageLcov, printLcov(found), terminal);
  if (coverageHtml !== undefined) {
    writeOutput(coverageHtml, coveragePage(found), terminal);
    terminal.log(screen`${screen.text(coverageHtml)}: written`);
  }
  const { percent } = found.summary;
  return {
    text: coverageTable(found),
    summary: found.summary,
    percent,
    isBelowThreshold: coverageThreshold !== undefined && percent < coverageThreshold,
  };
}
