/** `apikiln diff`: what a changed configuration means for clients, and which statements and requests changed. */
import { json } from '../../notation/json-writer.js';
import { screen } from '../../notation/screen-writer.js';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CheckedService } from '../../analyze/check/checked.js';
import { checkWithDatabases } from '../../compile.js';
import { generatedDescription } from '../../analyze/describe/read-generated.js';
import { compareServices, type ComparedService } from '../diff/compare-services.js';
import { printDifferencesMarkdown, printDifferencesText } from '../diff/print-differences.js';
import { ServiceView } from '../explain/service-view.js';
import { exitStatus } from './shared/output/exit-status.js';
import { printDiagnostics, runCompilation } from './shared/run-compilation.js';
import type { Terminal } from './shared/output/terminal.js';

export interface DiffOptions {
  readonly format: 'text' | 'json' | 'markdown';
  /** False to not use any database. */
  readonly schema?: boolean;
}

/** Accepts paths of configurations or of their folders. Exits with 1 if a change breaks clients. */
export async function diff(
  old: string,
  now: string,
  { format, schema }: DiffOptions,
  terminal: Terminal,
): Promise<number> {
  const options = {
    ...(schema === false ? ({ schema } as const) : {}),
    format: format === 'json' ? ('json' as const) : ('text' as const),
    quiet: true,
    warn: updatedCodes,
  };
  const compiled = async (path: string): Promise<ComparedService | number> => {
    const outcome = await runCompilation(configAt(path, terminal), options, terminal, checkWithDatabases);
    if (outcome.service !== undefined) return compared(outcome.service);
    printDiagnostics(outcome.diagnostics, options, terminal);
    return outcome.status;
  };
  const before = await compiled(old);
  if (typeof before === 'number') return before;
  const after = await compiled(now);
  if (typeof after === 'number') return after;
  const differences = compareServices(before, after);
  switch (format) {
    case 'json':
      terminal.print(screen.document(json.value(differences, 2)));
      break;
    case 'markdown':
      terminal.print(screen.document(printDifferencesMarkdown(differences)));
      break;
    case 'text':
      terminal.print(printDifferencesText(differences));
      break;
  }
  return differences.breaking.length + differences.thirdParties.length > 0
    ? exitStatus.errors
    : exitStatus.fine;
}

/** Errors caused by an update of a third party's description, which are the subject of this command. */
export const updatedCodes = ['undescribed-request', 'missing-in-request', 'wrong-in-request'];

function compared(service: CheckedService): ComparedService {
  const { config } = service.analysis;
  return { view: new ServiceView(service), generated: generatedDescription(config) };
}

function configAt(path: string, { folder }: Terminal): string {
  const isFolder = statSync(resolve(folder, path), { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? join(path, 'config.yaml') : path;
}
