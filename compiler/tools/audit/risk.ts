/** A risk that `apikiln audit` finds: not an error, but something that should be a decision. */
import type { RiskCode } from '../../read/diagnostics/risk-codes.js';
import type { Span } from '../../read/source.js';

export const severities = ['high', 'medium', 'low'] as const;

export type RiskSeverity = (typeof severities)[number];

export interface Risk {
  /** Which rule found it: `open-write`. */
  readonly rule: RiskCode;
  readonly severity: RiskSeverity;
  readonly span: Span;
  /** The fact. */
  readonly message: string;
  /** The suggestion: a change of the configuration, or a part to review. */
  readonly hint: string;
}

export interface AcceptedRisk extends Risk {
  /** The reason why, in the words of the configuration. */
  readonly reason: string;
}
