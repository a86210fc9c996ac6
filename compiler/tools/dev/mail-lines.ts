/** Prints a mail of a service under `apikiln dev` as terminal lines: links in it can be used, whether it was sent or not. */
import type { ShownMail } from '../../../runtime/trace/traced-smtp.js';
import { screen, type Colours, type Shown } from '../../notation/screen-writer.js';

/** Maximum number of printed lines of the text. */
const maxLines = 40;

export function mailLines(
  { datasource, to, cc, replyTo, subject, text, notSent }: ShownMail,
  colours: Colours,
): Shown[] {
  const heads = { to: to.join(', '), cc: cc.join(', '), 'reply to': replyTo.join(', '), subject };
  const lines = text.trimEnd().split(/\r\n|\r|\n/);
  const more = lines.length - maxLines;
  return [
    screen`${colours.bold(screen`mail`)} ${screen.text(datasource)}${notSent === undefined ? screen`` : screen` ${colours.yellow(screen.text(`not sent: ${notSent}`))}`}`,
    ...Object.entries(heads).flatMap(([name, value]) =>
      value === '' ? [] : [colours.dim(screen.text(`  ${name}: ${value}`))],
    ),
    ...lines.slice(0, maxLines).map((line) => screen.text(`  ${line}`)),
    ...(more > 0 ? [colours.dim(screen.text(`  ${more} more lines`))] : []),
  ];
}
