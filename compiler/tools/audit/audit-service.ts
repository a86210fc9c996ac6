/** `apikiln audit`: finds all risks of a service that compiles. */
import { acceptedRisks } from '../../analyze/check/disable-comments.js';
import type { Config } from '../../read/config/config-model.js';
import { startOfLine, type Span, type WithSpan } from '../../read/source.js';
import type { ServiceView } from '../explain/service-view.js';
import { accountRisks } from './account-risks.js';
import { callerRows, tenantRows } from './caller-rows.js';
import { changingTools } from './changing-tools.js';
import { csvFormulas } from './csv-formulas.js';
import { failingThirdParties } from './failing-third-parties.js';
import { mailRisks } from './mail-risks.js';
import { missingRows } from './missing-rows.js';
import { policyRisks } from './policies.js';
import { openCode } from './open-code.js';
import { openOperations, testPage } from './open-operations.js';
import { openTransport } from './open-transport.js';
import { partialChanges } from './partial-changes.js';
import { repeatedCalls } from './repeated-calls.js';
import { repeatedEffects } from './repeated-effects.js';
import { requestHosts } from './request-hosts.js';
import { severities, type AcceptedRisk, type Risk } from './risk.js';
import { statementRisks } from './statement-risks.js';
import { revealingCursors } from './revealing-cursors.js';
import { unindexedFilters } from './unindexed-filters.js';
import { uncheckedClaims } from './unchecked-claims.js';
import { undescribedErrors } from './undescribed-errors.js';
import { writtenSecrets } from './written-secrets.js';

/** The risks of a service, including those accepted by comments in the configuration. */
export interface Audit {
  /** Sorted by severity, then in configuration order. */
  readonly risks: readonly Risk[];
  /** Risks accepted by a comment, with the reason given there. */
  readonly accepted: readonly AcceptedRisk[];
  /** Codes in comments that do not accept any risk. */
  readonly unneeded: readonly WithSpan<string>[];
}

/** `tenant`: the column that every statement must compare with a caller value. `ofCode`: risks found in user modules. */
export function auditService(view: ServiceView, tenant?: string, ofCode: readonly Risk[] = []): Audit {
  const { config } = view.analysis;
  const comments = acceptedRisks(config);
  const accepted: AcceptedRisk[] = [];
  const risks: Risk[] = [];
  const all = inOrder([...allRisks(view, tenant), ...ofCode], config);
  for (const risk of all) {
    const reason = comments.reasonFor(risk.rule, risk.span) ?? reasonInCode(risk);
    if (reason === undefined) risks.push(risk);
    else accepted.push({ ...risk, reason });
  }
  return {
    risks,
    accepted,
    unneeded: comments.unneeded(all.map(({ rule, span }) => ({ code: rule, span }))),
  };
}

function allRisks(view: ServiceView, tenant: string | undefined): Risk[] {
  return unique([
    ...openOperations(view),
    ...openCode(view),
    ...changingTools(view),
    ...testPage(view),
    ...requestHosts(view),
    ...statementRisks(view),
    ...unindexedFilters(view),
    ...revealingCursors(view),
    ...missingRows(view),
    ...partialChanges(view),
    ...repeatedCalls(view),
    ...repeatedEffects(view),
    ...failingThirdParties(view),
    ...writtenSecrets(view.analysis.config),
    ...uncheckedClaims(view.analysis.config),
    ...openTransport(view),
    ...undescribedErrors(view.analysis),
    ...csvFormulas(view),
    ...accountRisks(view),
    ...mailRisks(view),
    ...callerRows(view),
    ...policyRisks(view),
    ...(tenant === undefined ? [] : tenantRows(view, tenant)),
  ]);
}

/** Sorts risks by severity, then by position: configuration before code. */
function inOrder(risks: readonly Risk[], { source, included }: Config): Risk[] {
  const files = [source, ...included];
  const rank = ({ severity }: Risk): number => severities.indexOf(severity);
  const order = ({ source: file }: Span): number =>
    files.includes(file) ? files.indexOf(file) : files.length;
  return risks.toSorted((a, b) => {
    const byFile = rank(a) - rank(b) || order(a.span) - order(b.span);
    return byFile !== 0 || a.span.source.path !== b.span.source.path ? byFile : a.span.start - b.span.start;
  });
}

/** The reason in a TypeScript comment: `// apikiln-disable-next-line weaker-route -- reason`. */
function reasonInCode({ rule, span: { source, start } }: Risk): string | undefined {
  const before = source.text.slice(0, startOfLine(source, start)).trimEnd();
  const above = before.slice(before.lastIndexOf('\n') + 1);
  const [, codes = '', reason] =
    /^\s*\/\/\s*apikiln-disable-next-line\s+([\w\s,-]+?)\s+--\s+(.*\S)/.exec(above) ?? [];
  return codes.split(/[\s,]+/).includes(rule) ? reason : undefined;
}

/** With YAML aliases, two operations may share their text, so that a risk is found twice. */
function unique(risks: readonly Risk[]): Risk[] {
  const seen = new Set<string>();
  return risks.filter(({ rule, span, message }) => {
    const key = JSON.stringify([rule, span.source.path, span.start, message]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
