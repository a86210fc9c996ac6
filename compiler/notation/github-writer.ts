/** Writes GitHub Actions workflow commands. */
import { replaceUnseen } from './unseen.js';
import { asWritten, type Written } from './written.js';

/** A command with escaped values, so that text of the configuration cannot begin another command. */
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
