/** README.md of the service: what it serves, how to run it, where things are. */
import type { ServicePlan } from '../plan/plan.js';
import { commentText } from './comment.js';

export function emitReadme({ configName, operations, environment }: ServicePlan, template: string): string {
  const rows = operations.map(
    ({ name, fileName }) => `| ${cell(name)} | [${fileName}.ts](src/operations/${fileName}.ts) |`,
  );
  const variables = [
    ...environment.references.map(({ name, meaning }) => `| \`${name}\` | | ${cell(meaning)} |`),
    ...environment.values.map(({ name, meaning }) => `| \`${name}\` | from \`.env\` | ${cell(meaning)} |`),
  ];
  const holes: Readonly<Record<string, string>> = {
    config: commentText(configName),
    operations: ['| Operation | Code |', '| --- | --- |', ...rows].join('\n'),
    variables: variables.join('\n'),
  };
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, hole: string) => {
    const text = holes[hole];
    if (text === undefined) throw new Error(`The README template has a hole '${hole}' that nothing fills.`);
    return text;
  });
}

/** Text of the configuration in a Markdown table: no markup, no line break, no end of the cell. */
function cell(text: string): string {
  return commentText(text).replaceAll(/[\\`*_[\]<>|#&]/g, (character) => `\\${character}`);
}
