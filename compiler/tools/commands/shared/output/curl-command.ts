/** Requests as `curl` commands for a POSIX shell. */
import { screen } from '../../../../notation/screen-writer.js';
import { quotedForShell } from './shell-word.js';

export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** `data`: the options for the body, each with its value. */
export function curlCommand(
  { method, url, headers }: CurlRequest,
  data: readonly (readonly [option: string, value: string])[],
): string {
  const lines = [
    // Without -g, curl expands brackets and braces. With -X HEAD, it would wait for a body.
    `curl -g ${method === 'HEAD' ? '-I' : `-X ${quotedForShell(method)}`} ${quotedForShell(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quotedForShell(headerLine(name, value))}`),
    ...data.map(([option, value]) => `${option} ${quotedForShell(value)}`),
  ];
  return lines.join(' \\\n  ');
}

/** curl omits `X-Note:`, and sends `X-Note;` as a header without a value. */
function headerLine(name: string, value: string): string {
  return value === '' ? `${name};` : `${name}: ${value}`;
}

/** Whether a terminal shows all characters of the text. Hidden characters of a pasted text can end the paste, and run a command. */
export function isShown(text: string): boolean {
  return screen.lines(text) === text;
}
