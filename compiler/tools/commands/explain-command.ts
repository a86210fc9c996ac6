/** `apikiln explain`: prints the steps, costs and possible responses of an operation. */
import { trimmedEnd } from '../../notation/written.js';
import { json } from '../../notation/json-writer.js';
import { screen } from '../../notation/screen-writer.js';
import { allCodes } from '../../analyze/check/disable-comments.js';
import { checkWithDatabases } from '../../compile.js';
import { nearest } from '../../read/diagnostics/suggest.js';
import { explainOperation } from '../explain/explain-operation.js';
import { printMermaid } from '../explain/mermaid.js';
import { listOperations, printOperations } from '../explain/operation-list.js';
import { printExplanation } from '../explain/print-explanation.js';
import { ServiceView } from '../explain/service-view.js';
import { CommandError, exitStatus } from './shared/output/exit-status.js';
import { explainCode, isCode } from './explain-code.js';
import {
  defaultConfig,
  printDiagnostics,
  runCompilation,
  type CompilationOptions,
} from './shared/run-compilation.js';
import type { Terminal } from './shared/output/terminal.js';

export interface ExplainOptions extends Omit<CompilationOptions, 'format'> {
  readonly config?: string;
  /** Whether to list all diagnostic codes. */
  readonly codes?: boolean;
  readonly format: 'text' | 'json' | 'mermaid';
}

/** `subject` is the name of an operation or a diagnostic code; if omitted, all operations are listed. */
export async function explain(
  subject: string | undefined,
  { config, format, codes = false, ...options }: ExplainOptions,
  terminal: Terminal,
): Promise<number> {
  const isOfCode = codes || (subject !== undefined && isMeantAsCode(subject, config, terminal.folder));
  if (format === 'mermaid' && (isOfCode || subject === undefined))
    throw new CommandError(
      exitStatus.usage,
      'A flowchart is of one operation: name it as the argument [subject].',
    );
  if (isOfCode) return explainCode(subject, { codes, format: format === 'json' ? 'json' : 'text' }, terminal);
  const shared = { ...options, format: format === 'json' ? ('json' as const) : ('text' as const) };
  // Warnings are left to `check`.
  const outcome = await runCompilation(config, { ...shared, quiet: true }, terminal, checkWithDatabases);
  const { status, service, diagnostics } = outcome;
  if (service === undefined) {
    printDiagnostics(diagnostics, { ...shared, quiet: true }, terminal);
    return status;
  }
  const view = new ServiceView(service);
  if (subject === undefined) {
    const operations = listOperations(view);
    terminal.print(
      format === 'json' ? screen.document(json.value({ operations }, 2)) : printOperations(operations),
    );
    return status;
  }
  const operation = view.find(nameIn(view, subject) ?? subject);
  if (operation === undefined) throw unknown(subject, view);
  const explanation = explainOperation(operation, view);
  switch (format) {
    case 'json':
      terminal.print(screen.document(json.value(explanation, 2)));
      break;
    case 'mermaid':
      terminal.print(screen.document(trimmedEnd(printMermaid(explanation))));
      break;
    case 'text':
      terminal.print(printExplanation(explanation));
      break;
  }
  return status;
}

/** Whether the subject is a code, or possibly a misspelled code because there is no configuration with operations. */
function isMeantAsCode(subject: string, config: string | undefined, folder: string): boolean {
  if (isCode(subject)) return true;
  return config === undefined && /^[\w-]+$/.test(subject) && defaultConfig(folder) === undefined;
}

/** The operation with this name; case and spacing are ignored if the match is unambiguous. */
function nameIn({ operations }: ServiceView, subject: string): string | undefined {
  const plain = (name: string): string => name.trim().replaceAll(/\s+/g, ' ').toLowerCase();
  const names = operations.map(({ plan }) => plan.name);
  if (names.includes(subject)) return subject;
  const alike = names.filter((name) => plain(name) === plain(subject));
  return alike.length === 1 ? alike[0] : undefined;
}

function unknown(subject: string, { operations }: ServiceView): CommandError {
  const near = nearest(subject, [...operations.map(({ plan }) => plan.name), ...allCodes()]);
  const hint =
    near === undefined ? ' Without an argument, explain lists all operations.' : ` Did you mean '${near}'?`;
  return new CommandError(
    exitStatus.usage,
    `There is no operation '${subject}', and no diagnostic with that code.${hint}`,
  );
}
