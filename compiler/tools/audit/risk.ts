/** A risk found by `apikiln audit`: not an error, but something that should be a deliberate decision. */
import type { RiskCode } from '../../read/diagnostics/risk-codes.js';
import type { Span } from '../../read/source.js';

export const severities = ['high', 'medium', 'low'] as const;

export type RiskSeverity = (typeof severities)[number];

export interface Risk {
  /** The rule that found the risk, such as `open-write`. */
  readonly rule: RiskCode;
  readonly severity: RiskSeverity;
  readonly span: Span;
  /** The fact. */
  readonly message: string;
  /** The suggestion: a configuration change, or a part to review. */
  readonly hint: string;
}

export interface AcceptedRisk extends Risk {
  /** The reason given in the configuration. */
  readonly reason: string;
}
