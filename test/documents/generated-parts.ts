/** The parts of the reference that are generated from the code: tables of fields, functions and codes, and help texts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canBeLowered } from '../../compiler/analyze/check/disable-comments.js';
import { everyMessage } from '../../compiler/analyze/check/rule-list.js';
import { runCommandLine } from '../../compiler/tools/commands/command-line.js';
import { terminalOf } from '../../compiler/tools/commands/shared/output/terminal.js';
import { parseExplanations } from '../../compiler/read/diagnostics/explanation.js';
import { fieldTable, type FieldInfo, type Holds, type Kind } from '../../compiler/read/config/field-table.js';
import { functionDocs } from '../../compiler/tools/editor/function-docs.js';
import { repository } from '../helpers/service-fixture.js';

const marks = /(<!-- generated: (.+) -->\n)(?:[^]*?)(<!-- end -->)/g;

/** The document with its generated parts updated. Throws if a part is unknown or does not end. */
export async function withGeneratedParts(document: string): Promise<string> {
  const names = [...document.matchAll(marks)].map((match) => match[2] ?? '');
  const begun = [...document.matchAll(/^<!-- generated: /gm)].length;
  if (begun !== names.length)
    throw new Error(`${begun - names.length} generated parts have no <!-- end -->.`);
  const texts = new Map<string, string>();
  for (const name of names) texts.set(name, await generatedPart(name));
  return document.replaceAll(
    marks,
    (_, begin: string, name: string, end: string) => `${begin}\n${texts.get(name) ?? ''}\n\n${end}`,
  );
}

/** Names of parts: `fields <kind>`, `functions`, `help`, `help <command>`, `codes <file>`. */
async function generatedPart(name: string): Promise<string> {
  if (name.startsWith('fields ')) return fields(name.slice('fields '.length) as Kind);
  if (name === 'functions') return functions();
  if (name === 'help') return help();
  if (name.startsWith('help ')) return help(name.slice('help '.length));
  if (name.startsWith('codes ')) return codes(`${name.slice('codes '.length)}.md`);
  throw new Error(`There is no generated part '${name}'.`);
}

/** Escapes text for a table cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function code(text: string): string {
  return `\`${cell(text)}\``;
}

/** Columns are not aligned, because Prettier would realign them after every change. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return ['<!-- prettier-ignore -->', ...lines].join('\n');
}

function fields(kind: Kind): string {
  const rows = Object.entries(fieldTable[kind]).map(([field, info]) => [
    code(field),
    info.isRequired === true ? 'required' : '',
    valueOf(info),
    cell(info.about),
    code(info.example),
  ]);
  return table(['Field', '', 'Value', 'Meaning', 'Example'], rows);
}

/** A description of the field's content. */
function valueOf(info: FieldInfo): string {
  const { holds, words, min, max } = info;
  if (holds === 'word') return (words ?? []).map(code).join(', ');
  if (holds === 'integer')
    return min === undefined || max === undefined
      ? 'integer'
      : `integer, ${min}–${max.toLocaleString('en-US')}`;
  return holds === undefined ? 'string' : values[holds];
}

const values: Readonly<Record<Exclude<Holds, 'word' | 'integer'>, string>> = {
  expression: 'expression',
  condition: 'condition',
  model: 'model, or a JSON schema',
  models: 'list of models, or JSON schemas',
  conditions: 'condition, or a list of them',
  number: 'number',
  boolean: '`true`, `false`',
  headers: 'list of `Key: Value`',
  names: 'list of names',
  namesOrMaps: 'list of names, or maps',
  strings: 'map of strings',
  schema: 'schema notation',
  schemas: 'map of schema notations',
  expressions: 'map of expressions',
  mappings: 'map of models',
  statuses: 'status, or a list of them',
  outcomes: 'status or failure, or a list of them',
  errors: '`message`, `problem`, or a list of forms',
  map: 'map',
  stringOrMap: 'string, or map',
  stringOrStrings: 'string, or map of strings',
  stringOrNames: 'string, or list of them',
  list: 'list',
  named: 'map by name',
  namedOrStrings: 'map by name of strings, or maps',
};

function functions(): string {
  return table(
    ['Function', 'Result'],
    [...functionDocs.values()].map(({ form, about }) => [
      form.split(' or ').map(code).join(', '),
      cell(about),
    ]),
  );
}

/** The output of `apikiln help`, optionally for one command. */
async function help(...names: string[]): Promise<string> {
  let printed = '';
  const terminal = { ...terminalOf(process), print: (text: string) => (printed += `${text}\n`) };
  await runCommandLine(['help', ...names], { ...terminal, log: () => undefined });
  return `\`\`\`text\n${printed.trim()}\n\`\`\``;
}

/** The codes in a file of explanations. */
function codes(file: string): string {
  const text = readFileSync(join(repository, 'templates/explanations', file), 'utf8');
  const rows = [...parseExplanations(text)].map(([name, explanation]) => [
    `[${name}](../../../templates/explanations/${file}#${name})`,
    `${everyMessage[name]?.severity ?? ''}${canBeLowered(name) ? '' : ', fixed'}`,
    cell(explanation.text.split(/(?<=[.])\s/)[0] ?? ''),
  ]);
  return table(['Code', 'Severity', 'Meaning'], rows);
}
