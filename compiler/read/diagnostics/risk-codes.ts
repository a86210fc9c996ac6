/** The rules of `apikiln audit`. Comments can accept these risks, just as they disable diagnostics. */
export const riskCodes = [
  ...(['open-write', 'open-read', 'no-authentication', 'host-from-input', 'debug-on'] as const),
  ...(['host-in-mail', 'open-mail', 'text-in-mail'] as const),
  ...(['unlimited-list', 'unbounded-limit', 'every-row', 'no-transaction', 'repeated-call'] as const),
  ...(['unindexed-filter', 'revealing-cursor'] as const),
  ...(['written-secret', 'unchecked-claim', 'no-encryption', 'unverified-server'] as const),
  'undescribed-errors',
  ...([
    'missing-row',
    'csv-formula',
    'true-without-caller',
    'sub-of-several',
    'tenant-not-compared',
  ] as const),
  ...(['policies-without-context', 'immutable-policy', 'view-of-owner', 'function-of-owner'] as const),
  ...([
    'failure-ends-loop',
    'repeated-change',
    'repeated-effect',
    'open-code',
    'weaker-route',
    'changing-tool',
  ] as const),
  ...(['early-answer', 'weak-cookie', 'undone-change', 'unlimited-guesses'] as const),
] as const;

export type RiskCode = (typeof riskCodes)[number];

export function isRiskCode(code: string): code is RiskCode {
  return (riskCodes as readonly string[]).includes(code);
}
