/** Properties of every rule: it only reads, and a clean check has a complete result. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { Analysis } from '../../compiler/analyze/operations/analysis.js';
import { CheckedService } from '../../compiler/analyze/check/checked.js';
import { rules } from '../../compiler/analyze/check/rule-list.js';
import { checkStatements } from '../../compiler/analyze/check/sql/check-statements.js';
import { runRules } from '../../compiler/analyze/check/run-rules.js';
import { findDescription } from '../../compiler/tools/commands/shared/files/description.js';
import { readConfig } from '../../compiler/read/config/read-config.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { readDescription } from '../../compiler/read/openapi/read-description.js';

const root = fileURLToPath(new URL('../../fixtures/errors/', import.meta.url));
const folders = readdirSync(root).sort();

/** Freezes a value deeply, so that every change throws. */
function freeze(value: unknown, seen = new Set<unknown>()): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  // A map shared by several configurations, such as the empty settings, is already frozen.
  if (value instanceof Map && !Object.isFrozen(value)) {
    for (const [key, inner] of value) for (const one of [key, inner]) freeze(one, seen);
    for (const change of ['set', 'delete', 'clear'])
      Object.defineProperty(value, change, {
        value: () => {
          throw new TypeError('A map was changed.');
        },
      });
  }
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner, seen);
}

function analysisOf(folder: string, report: Report): Analysis | undefined {
  const text = readFileSync(`${root}${folder}/config.yaml`, 'utf8');
  const read = readConfig({ path: 'config.yaml', text }, report);
  freeze(read);
  const config = read && checkStatements(read, report);
  const input = findDescription(undefined, { config: root + folder, folder: root + folder });
  const description = input && readDescription(input, report);
  freeze(description?.endpoints);
  freeze(description?.models);
  return config && new Analysis(config, description, report.errors);
}

describe('rules only read', () => {
  test.each(folders)('%s', (folder) => {
    const report = new Report();
    const analysis = analysisOf(folder, report);
    if (analysis === undefined) {
      expect(report.hasErrors).toBe(true);
      return;
    }
    expect(() => {
      runRules(rules, analysis, report);
    }).not.toThrow();
    const before = report.diagnostics.length;
    // The order of the rules does not matter, and nothing is reported twice.
    runRules(rules.toReversed(), analysis, report);
    expect(report.diagnostics.length).toBe(before);
  });
});

test('only a report without errors makes a checked configuration, and then all of it is there', () => {
  let [clean, wrong] = [0, 0];
  for (const folder of folders) {
    const report = new Report();
    const analysis = analysisOf(folder, report);
    if (analysis === undefined) continue;
    runRules(rules, analysis, report);
    for (const { mapped } of analysis.operations) report.replay(mapped.findings.all);
    const checked = CheckedService.after(report, analysis);
    expect(checked === undefined, folder).toBe(report.hasErrors);
    if (checked === undefined) wrong += 1;
    else clean += 1;
  }
  expect(Math.min(clean, wrong)).toBeGreaterThan(10);
});
