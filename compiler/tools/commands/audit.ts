/** `apikiln audit`: reports risks of a configuration that are not errors. */
import { join, relative, resolve } from 'node:path';
import { screen } from '../../notation/screen-writer.js';
import { auditService } from '../audit/audit-service.js';
import { printRisks, printRisksJson } from '../audit/print-risks.js';
import { severities, type Risk, type RiskSeverity } from '../audit/risk.js';
import { checkWithDatabases } from '../../compile.js';
import { ServiceView } from '../explain/service-view.js';
import { exitStatus } from './shared/output/exit-status.js';
import { ownSources, serviceFolder } from './shared/owner/own-files.js';
import { printDiagnostics, runCompilation, type CompilationOptions } from './shared/run-compilation.js';
import type { Terminal } from './shared/output/terminal.js';

export interface AuditOptions extends CompilationOptions {
  /** Minimum severity that makes the command fail. */
  readonly failOn: RiskSeverity | 'never';
  /** The tenant column, which every statement must compare with a caller value. */
  readonly tenant?: string;
}

/** Exits with 1 if a risk is at least as severe as `failOn`, or if the configuration has errors. */
export async function audit(
  path: string | undefined,
  { failOn, tenant, ...options }: AuditOptions,
  terminal: Terminal,
): Promise<number> {
  // `check` warnings are not risks; only their number is printed.
  const quiet = { ...options, quiet: true };
  const {
    service,
    diagnostics,
    status,
    path: config,
  } = await runCompilation(path, quiet, terminal, checkWithDatabases);
  if (service === undefined) {
    printDiagnostics(diagnostics, quiet, terminal);
    return status;
  }
  const view = new ServiceView(service);
  const found = auditService(view, tenant, await risksOfCode(view, config, options.out, terminal));
  terminal.print(
    options.format === 'json'
      ? screen.document(printRisksJson(found, diagnostics.length))
      : printRisks(found, diagnostics.length),
  );
  const failing = failOn === 'never' ? [] : severities.slice(0, severities.indexOf(failOn) + 1);
  return found.risks.some(({ severity }) => failing.includes(severity)) ? exitStatus.errors : exitStatus.fine;
}

/** Risks in user modules of the service's folder. TypeScript is only loaded if a module mentions `contextOf` or its module. */
async function risksOfCode(
  view: ServiceView,
  config: string,
  out: string | undefined,
  { folder }: Terminal,
): Promise<readonly Risk[]> {
  const service = serviceFolder(out, { config: resolve(folder, config), folder });
  const sources = ownSources(service).filter(({ text }) => /contextOf|\/context\b/.test(text));
  if (sources.length === 0) return [];
  const { weakerRoutes } = await import('../audit/weaker-routes.js');
  return weakerRoutes(
    view,
    sources.map((source) => ({ ...source, shown: shownPath(folder, join(service, source.path)) })),
  );
}

/** The path relative to the current folder, with slashes. */
function shownPath(folder: string, path: string): string {
  return relative(folder, path).replaceAll('\\', '/');
}
