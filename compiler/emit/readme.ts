/** README.md of the service: what it serves, how to run it, where things are. */
import type { ServicePlan } from '../plan/plan.js';
import { commentText } from './comment.js';

export function emitReadme(
  { configName, operations, environment, debug }: ServicePlan,
  template: string,
): string {
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
  const text = debug ? template + testPage : template;
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, hole: string) => {
    const text = holes[hole];
    if (text === undefined) throw new Error(`The README template has a hole '${hole}' that nothing fills.`);
    return text;
  });
}

/** Only in services that have one. */
const testPage = `
## Test page

The configuration says \`debug: true\`, so \`/docs-ui\` is a page to try the operations on, and \`/v3/api-docs\` and \`/v3/api-docs.yaml\` describe them
(\`src/api-description.ts\`). They ask for no credentials, and show the SQL of every call that is made from the page: leave \`debug\` out in production. \`WORKERS\` is 1 meanwhile.
`;

/** Text of the configuration in a Markdown table: no markup, no line break, no end of the cell. */
function cell(text: string): string {
  return commentText(text).replaceAll(/[\\`*_[\]<>|#&]/g, (character) => `\\${character}`);
}
