/** `apikiln explain <code>`: explains a diagnostic with a wrong and a right example. */
import { indented, joined } from '../../notation/written.js';
import { json } from '../../notation/json-writer.js';
import { screen, type Shown } from '../../notation/screen-writer.js';
import { readExplanations } from '../../generate/assets.js';
import { allCodes } from '../../analyze/check/disable-comments.js';
import { everyMessage } from '../../analyze/check/rule-list.js';
import { checkSource } from '../../compile.js';
import type { Explanation } from '../../read/diagnostics/explanation.js';
import { nearest } from '../../read/diagnostics/suggest.js';
import { describedExample, includedOf, includingExample, thirdPartyOf, wholeExample } from '../example.js';
import { position } from '../../read/source.js';
import { CommandError, exitStatus } from './shared/output/exit-status.js';
import { packageFolder } from './shared/files/package-folder.js';
import type { Terminal } from './shared/output/terminal.js';
import { didYouMean } from '../../read/diagnostics/catalogue/entry-messages.js';

export interface ExplainCodeOptions {
  /** Whether to list all codes. */
  readonly codes?: boolean;
  readonly format: 'text' | 'json';
}

/** Explains one code, or with `codes` lists all. Throws a CommandError for an unknown code. */
export function explainCode(
  code: string | undefined,
  { codes, format }: ExplainCodeOptions,
  terminal: Terminal,
): number {
  return code === undefined || codes === true
    ? listCodes(format, terminal)
    : explainOne(code, format, terminal);
}

/** Whether the word is a diagnostic code. */
export function isCode(word: string): boolean {
  return Object.hasOwn(everyMessage, word);
}

/** Prints all codes with their severities and the first sentence of each explanation; as JSON with all details. */
function listCodes(format: 'text' | 'json', terminal: Terminal): number {
  const explanations = readExplanations(packageFolder());
  if (format === 'json') {
    const list = allCodes().map((code) => ({ code, ...about(code), ...explanations.get(code) }));
    terminal.print(screen.document(json.value({ codes: list }, 2)));
    return exitStatus.fine;
  }
  const width = Math.max(...allCodes().map((code) => code.length));
  for (const code of allCodes()) {
    const [sentence = ''] = /^.*?[.!?](?=\s|$)/su.exec(explanations.get(code)?.text ?? '') ?? [];
    terminal.print(
      screen`${screen.text(code.padEnd(width))}  ${screen.text(about(code).severity.padEnd(7))}  ${screen.text(sentence)}`,
    );
  }
  return exitStatus.fine;
}

function explainOne(code: string, format: 'text' | 'json', terminal: Terminal): number {
  const explanation = readExplanations(packageFolder()).get(code);
  if (!isCode(code) || explanation === undefined) {
    throw new CommandError(
      exitStatus.usage,
      `Unknown diagnostic code '${code}'. ${didYouMean(nearest(code, allCodes())) ?? "'apikiln explain --codes' lists all codes."}`,
    );
  }
  if (format === 'json')
    terminal.print(screen.document(json.value({ code, ...about(code), ...explanation }, 2)));
  else terminal.print(explanationText(code, explanation, terminal));
  return exitStatus.fine;
}

function about(code: string): { severity: string; canBeLowered: boolean } {
  const { severity = 'error', canBeLowered = severity === 'warning' } = everyMessage[code] ?? {};
  return { severity, canBeLowered };
}

function explanationText(code: string, explanation: Explanation, { colours }: Terminal): Shown {
  const { text, wrong, right, openapi, api, schema, included } = explanation;
  const { severity, canBeLowered } = about(code);
  const note = severity === 'error' && canBeLowered ? ', which --warn and --off accept' : '';
  const file = (name: string, content: string | undefined): Shown[] =>
    content === undefined ? [] : [screen``, colours.bold(screen.text(name)), example(content)];
  const lines = [
    screen`${colours.bold(screen.text(code))} (${screen.text(`${severity}${note}`)})`,
    screen``,
    screen.lines(wrapped(text)),
    ...file('openapi.yaml:', openapi),
    ...file('api.yaml:', api),
    ...file('schema.sql:', schema),
    ...file('operations/news.yaml:', included),
    screen``,
    colours.bold(screen`Wrong:`),
    example(marked(code, explanation, wrong)),
    screen``,
    colours.bold(screen`Right:`),
    example(right),
  ];
  return joined(lines, '\n');
}

/** The wrong example with the reported span marked, if a plain check reports the code. */
function marked(code: string, explanation: Explanation, wrong: string): string {
  const isDescription = explanation.part === 'openapi';
  const isIncluded = explanation.part === 'included';
  const { text, line, indent } = wholeExample(explanation, wrong);
  const example = { path: isIncluded ? 'operations/news.yaml' : 'example', text };
  const around = isDescription ? describedExample : isIncluded ? includingExample : undefined;
  const config = around === undefined ? example : { path: 'config.yaml', text: around };
  const openapi = isDescription ? wrong : explanation.openapi;
  const description = isDescription ? example : { path: 'openapi.yaml', text: openapi ?? '' };
  const { diagnostics } = checkSource({
    config,
    ...(openapi !== undefined && { description: { source: description, read: () => undefined } }),
    include: includedOf(isIncluded ? { included: wrong } : explanation),
    thirdParty: thirdPartyOf(explanation),
  });
  const span = diagnostics.find((one) => one.code === code && one.span.source.path === example.path)?.span;
  if (span === undefined) return wrong;
  const [from, to] = [position(example, span.start), position(example, span.end)];
  const lines = wrong.split('\n');
  const index = from.line - 1 - line;
  const length = lines[index]?.length ?? 0;
  const start = from.column - 1 - indent;
  const end = to.line === from.line ? to.column - 1 - indent : length;
  if (index < 0 || index >= lines.length || start < 0) return wrong;
  lines.splice(index + 1, 0, `${' '.repeat(start)}${'^'.repeat(Math.max(1, end - start))}`);
  return lines.join('\n');
}

function example(text: string): Shown {
  return indented(screen.lines(text.trimEnd()), 4);
}

const width = 100;

/** Wraps text to lines of at most 100 characters. */
function wrapped(text: string): string {
  let line = '';
  const lines: string[] = [];
  for (const word of text.split(/ |(\n\n)/).filter(Boolean)) {
    if (word === '\n\n' || line.length + word.length >= width) {
      lines.push(line, ...(word === '\n\n' ? [''] : []));
      line = '';
    }
    if (word !== '\n\n') line += `${line === '' ? '' : ' '}${word}`;
  }
  return [...lines, line].join('\n');
}
