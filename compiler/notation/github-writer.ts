/** The writer of workflow commands of GitHub Actions. */
import { replaceUnseen } from './unseen.js';
import { asWritten, type Written } from './written.js';

/** A command with its values escaped, so that nothing of the configuration begins another one. */
export function githubCommand(
  name: 'error' | 'warning',
  properties: Readonly<Record<string, string | number>>,
  message: string,
): Written<'github'> {
  const written = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(String(value))}`);
  return asWritten<'github'>(
    `::${name}${written.length === 0 ? '' : ` ${written.join(',')}`}::${escapeData(message)}`,
  );
}

function escapeData(text: string): string {
  const shown = replaceUnseen(text.replaceAll('\r', ''), () => '?', '\n');
  return shown.replaceAll('%', '%25').replaceAll('\n', '%0A').replaceAll('##[', '## [');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
