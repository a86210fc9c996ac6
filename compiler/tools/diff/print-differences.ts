/** Differences as text for people and as Markdown for reviews. */
import { visible } from '../../read/diagnostics/visible.js';
import type { Change, Differences, SentChange } from './differences.js';

export function printDifferencesText(differences: Differences): string {
  const { breaking, compatible, thirdParties, sent, deployment } = differences;
  const list = (title: string, changes: readonly Change[]): string[] =>
    changes.length === 0
      ? []
      : [
          `${title} (${changes.length})\n${changes.map(({ operation, text }) => `  ${operation}: ${visible(text)}`).join('\n')}`,
        ];
  return [
    ...nothing(differences),
    ...list('Breaks clients', breaking),
    ...list('Does not break clients', compatible),
    ...list('Broken by the descriptions of third parties', withDatasources(thirdParties)),
    ...sent.map((change) =>
      [
        `Sent by ${change.operation}`,
        ...touched(change).map((line) => `  ${line}`),
        ...change.diff.map((line) => `  ${visible(line)}`),
      ].join('\n'),
    ),
    ...(deployment.length === 0 ? [] : [['Deployment', ...deployment.map((text) => `  ${text}`)].join('\n')]),
  ].join('\n\n');
}

export function printDifferencesMarkdown(differences: Differences): string {
  const { breaking, compatible, thirdParties, sent, deployment } = differences;
  const list = (title: string, changes: readonly Change[]): string[] =>
    changes.length === 0
      ? []
      : [
          `## ${title}\n\n${changes.map(({ operation, text }) => `- ${code(operation)}: ${escaped(text)}`).join('\n')}`,
        ];
  return [
    ...nothing(differences),
    ...list('Breaks clients', breaking),
    ...list('Does not break clients', compatible),
    ...list('Broken by the descriptions of third parties', withDatasources(thirdParties)),
    ...sent.map((change) => {
      const lines = touched(change).map((line) => `- ${escaped(line)}`);
      const fence = '`'.repeat(Math.max(3, longestTicks(change.diff) + 1));
      return [
        `## Sent by ${code(change.operation)}`,
        ...(lines.length === 0 ? [] : [lines.join('\n')]),
        `${fence}diff\n${change.diff.map(visible).join('\n')}\n${fence}`,
      ].join('\n\n');
    }),
    ...(deployment.length === 0
      ? []
      : [`## Deployment\n\n${deployment.map((text) => `- ${escaped(text)}`).join('\n')}`]),
  ].join('\n\n');
}

/** Said where at most the deployment changes. */
function nothing({ breaking, compatible, thirdParties, sent }: Differences): string[] {
  const count = breaking.length + compatible.length + thirdParties.length + sent.length;
  return count === 0 ? ['Nothing changes for clients, nor in what is sent.'] : [];
}

function withDatasources(changes: Differences['thirdParties']): Change[] {
  return changes.map(({ operation, datasource, text }) => ({ operation, text: `${datasource}, ${text}` }));
}

function touched({ reads, writes }: SentChange): string[] {
  const line = (text: string, tables: readonly string[]): string[] =>
    tables.length === 0 ? [] : [`${text} ${tables.join(', ')}`];
  return [
    ...line('reads now:', reads.added),
    ...line('reads no more:', reads.removed),
    ...line('changes now:', writes.added),
    ...line('changes no more:', writes.removed),
  ];
}

function longestTicks(lines: readonly string[]): number {
  const ticks = lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([found]) => found.length));
  return Math.max(0, ...ticks);
}

function code(text: string): string {
  const fence = '`'.repeat(longestTicks([text]) + 1);
  const space = text.includes('`') ? ' ' : '';
  return `${fence}${space}${visible(text)}${space}${fence}`;
}

/** Text without the syntax of Markdown and HTML. */
function escaped(text: string): string {
  return visible(text).replaceAll(/[\\`*_{}[\]<>#|~&]/g, (character) => `\\${character}`);
}
