/** Runs the SQL rules on each statement before the analysis. */
import type { Config, Fulfillment, Instruction, Operation } from '../../../read/config/config-model.js';
import type { Finding } from '../../../read/diagnostics/finding.js';
import type { Report } from '../../../read/diagnostics/report.js';
import { findingsIn } from './sql-rules.js';

/** An operation whose statements have been checked. */
interface CheckedStatements {
  readonly findings: readonly Finding[];
  /** The operation, with only valid statements as actions. */
  readonly operation: Operation;
}

/** Checked statements, keyed by the operation as read, which keeps its identity as long as its part of the file is unchanged. */
export class StatementChecks extends WeakMap<Operation, CheckedStatements> {}

/**
 * Reports errors in SQL, and returns the configuration with all valid statements as actions; before this step, statements are not actions
 * yet. `kept` caches earlier compilations.
 */
export function checkStatements(config: Config, report: Report, kept?: StatementChecks): Config {
  const operations = config.operations.map((read) => {
    const checked = kept?.get(read) ?? checkedStatements(read);
    kept?.set(read, checked);
    for (const finding of checked.findings) report.addFinding(finding);
    return checked.operation;
  });
  return { ...config, operations };
}

function checkedStatements(operation: Operation): CheckedStatements {
  const findings: Finding[] = [];
  const fulfillments = operation.fulfillments.map((one) => checkedFulfillment(one, findings));
  return { findings, operation: { ...operation, fulfillments } };
}

function checkedFulfillment(fulfillment: Fulfillment, all: Finding[]): Fulfillment {
  switch (fulfillment.type) {
    case 'READ':
    case 'UPDATE': {
      const instructions = fulfillment.instructions.map((one) => checkedInstruction(one, all));
      return { ...fulfillment, instructions };
    }
    case 'LOOP': {
      const fulfillments = fulfillment.fulfillments.map((inner) => checkedFulfillment(inner, all));
      return { ...fulfillment, fulfillments };
    }
    case 'REFERENCE':
    case 'DEFERRED':
    case 'CODE':
    case 'COMPUTE':
      return fulfillment;
  }
}

function checkedInstruction(instruction: Instruction, all: Finding[]): Instruction {
  if (instruction.sql === undefined) return instruction;
  const { sql, statement } = instruction.sql;
  const findings = findingsIn(sql);
  all.push(...findings);
  const isWrong = findings.some(({ entry }) => entry.severity === 'error');
  return isWrong ? instruction : { ...instruction, action: statement };
}
