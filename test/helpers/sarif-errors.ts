/** Validates against the published schema of SARIF 2.1.0, and against rules beyond the schema. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import formatsPlugin from 'ajv-formats';

const require = createRequire(import.meta.url);
const schemaPath = require.resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
/** Remove `$schema`, because the validator is for a later draft; the schema does not use anything that later drafts changed. */
const sarifSchema = Object.fromEntries(
  Object.entries(JSON.parse(readFileSync(schemaPath, 'utf8')) as object).filter(
    ([key]) => key !== 'id' && key !== '$schema',
  ),
) as object;
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
(formatsPlugin as unknown as (validator: Ajv) => void)(ajv);
const isSarif = ajv.compile(sarifSchema);

interface Log {
  readonly runs: readonly {
    readonly tool: {
      readonly driver: {
        readonly informationUri?: string;
        readonly rules: readonly { readonly id: string }[];
      };
    };
    readonly results: readonly {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly locations: readonly { readonly physicalLocation: { readonly region: Region } }[];
    }[];
  }[];
}

interface Region {
  readonly startLine: number;
  readonly startColumn: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/**
 * Violations of the schema, and of rules checked by Microsoft's SARIF Multitool: a link to the tool, the rule of each result, and regions
 * that end after they begin.
 */
export function sarifErrors(text: string): string[] {
  const log: unknown = JSON.parse(text);
  if (!isSarif(log))
    return (isSarif.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`);
  return (log as Log).runs.flatMap(({ tool: { driver }, results }) => [
    ...(/^https:\/\//.test(driver.informationUri ?? '') ? [] : ['no informationUri']),
    ...results.flatMap(({ ruleId, ruleIndex, locations }) => [
      ...(driver.rules[ruleIndex]?.id === ruleId ? [] : [`${ruleId} is not the rule ${ruleIndex}`]),
      ...locations.flatMap(({ physicalLocation: { region } }) =>
        isInOrder(region) ? [] : [`${ruleId} ends before it begins`],
      ),
    ]),
  ]);
}

function isInOrder({ startLine, startColumn, endLine, endColumn }: Region): boolean {
  return startLine < endLine || (startLine === endLine && startColumn <= endColumn);
}
