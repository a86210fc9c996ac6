/** The output of `apikiln check`, without colours, for the configuration in a folder. */
import { check } from '../../compiler/tools/commands/check.js';
import { testTerminal } from '../helpers/test-terminal.js';
import { noteOfUnchecked } from '../commands/workspace.js';

/** `status` is the exit status; `text` is standard error and standard output, without the line about databases without a schema. */
export async function checkText(
  folder: string,
  format: 'text' | 'json' = 'text',
): Promise<{ status: number; text: string }> {
  const lines: string[] = [];
  const put = (text: string): void => {
    lines.push(text);
  };
  const status = await check('config.yaml', { format }, testTerminal(folder, put));
  return { status, text: lines.join('').replace(noteOfUnchecked, '') };
}
