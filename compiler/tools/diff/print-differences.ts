/** Prints differences as text, and as Markdown for reviews. */
import { markdown } from '../../notation/markdown-writer.js';
import { screen, type Shown } from '../../notation/screen-writer.js';
import { joined, type Written } from '../../notation/written.js';
import type { Change, Differences, SentChange } from './differences.js';

const wholeService = 'the whole service';

export function printDifferencesText(differences: Differences): Shown {
  const { breaking, compatible, thirdParties, sent } = differences;
  const list = (title: string, changes: readonly Change[]): Shown[] =>
    changes.length === 0
      ? []
      : [
          screen.list([
            `${title} (${changes.length})`,
            ...changes.map(({ operation, text }) => `  ${operation ?? wholeService}: ${text}`),
          ]),
        ];
  const parts = [
    ...nothing(differences).map(screen.text),
    ...list('Breaks clients', breaking),
    ...list('Does not break clients', compatible),
    ...list('Broken by the descriptions of third parties', withDatasources(thirdParties)),
    ...sent.map((change) =>
      screen.list([
        `Sent by ${change.operation}`,
        ...touched(change).map((line) => `  ${line}`),
        ...change.diff.map((line) => `  ${line}`),
      ]),
    ),
  ];
  return joined(parts, '\n\n');
}

export function printDifferencesMarkdown(differences: Differences): Written<'markdown'> {
  const { breaking, compatible, thirdParties, sent } = differences;
  const list = (title: string, changes: readonly Change[]): Written<'markdown'>[] => {
    const items = changes.map(
      ({ operation, text }) =>
        markdown`- ${operation === null ? markdown.text(wholeService) : markdown.code(operation)}: ${markdown.text(text)}`,
    );
    return items.length === 0 ? [] : [markdown`## ${markdown.text(title)}\n\n${joined(items, '\n')}`];
  };
  const parts = [
    ...nothing(differences).map(markdown.text),
    ...list('Breaks clients', breaking),
    ...list('Does not break clients', compatible),
    ...list('Broken by the descriptions of third parties', withDatasources(thirdParties)),
    ...sent.map((change) => {
      const lines = touched(change).map((line) => markdown`- ${markdown.text(line)}`);
      const sections = [
        markdown`## Sent by ${markdown.code(change.operation)}`,
        ...(lines.length === 0 ? [] : [joined(lines, '\n')]),
        markdown.block(screen.list(change.diff), 'diff'),
      ];
      return joined(sections, '\n\n');
    }),
  ];
  return joined(parts, '\n\n');
}

function nothing({ breaking, compatible, thirdParties, sent }: Differences): string[] {
  const count = breaking.length + compatible.length + thirdParties.length + sent.length;
  return count === 0 ? ['Nothing changes for clients or in what is sent.'] : [];
}

function withDatasources(changes: Differences['thirdParties']): Change[] {
  return changes.map(({ operation, datasource, text }) => ({ operation, text: `${datasource}, ${text}` }));
}

function touched({ reads, writes }: SentChange): string[] {
  const line = (text: string, tables: readonly string[]): string[] =>
    tables.length === 0 ? [] : [`${text} ${tables.join(', ')}`];
  return [
    ...line('reads now:', reads.added),
    ...line('no longer reads:', reads.removed),
    ...line('changes now:', writes.added),
    ...line('no longer changes:', writes.removed),
  ];
}
