/** Edits to a configuration as a person would make them: operations are moved, copied, renamed, removed and restored. */
import type { Random } from '../helpers/random.js';
import { mutate } from '../mutants/mutate.js';

/** The text after one edit. */
export function edited(text: string, random: Random): string {
  return random.chance(45) ? mutate(text, random).text : random.pick(edits)(text, random);
}

/** The included files after one edit, by name. */
export function editedFiles(files: ReadonlyMap<string, string>, random: Random): Map<string, string> {
  const all = [...files];
  const at = random.below(all.length);
  const [name, text] = all[at] ?? ['operations/new.yaml', ''];
  if (random.chance(85)) return new Map([...files, [name, editedIncluded(text, random)]]);
  const other = `operations/${random.pick(['a', 'm', 'z'])}.yaml`;
  const kept = all.filter((_, index) => index !== at);
  // Remove, copy or rename a file.
  return random.pick([
    () => new Map(kept),
    () => new Map([...all, [other, text] as const]),
    () => new Map([...kept, [other, text] as const]),
  ])();
}

/** Edits an included file by treating its operations as the section of a configuration. */
function editedIncluded(text: string, random: Random): string {
  const head = 'operations:\n';
  const changedText = edited(head + text.replaceAll(/^(?=.)/gm, '  '), random);
  const isWhole = changedText.startsWith(head);
  return isWhole ? changedText.slice(head.length).replaceAll(/^ {1,2}/gm, '') : mutate(text, random).text;
}

type Edit = (text: string, random: Random) => string;

const edits: readonly Edit[] = [
  // Edits to whole operations.
  ofOperations((all, random) => all.splice(random.below(all.length), 1)),
  ofOperations((all, random) => {
    const [moved] = all.splice(random.below(all.length), 1);
    if (moved !== undefined) all.splice(random.below(all.length + 1), 0, moved);
  }),
  ofOperations((all, random) => all.splice(random.below(all.length + 1), 0, random.pick(all))),
  ofOperations((all, random) => {
    all.splice(random.below(all.length + 1), 0, withName(random.pick(all), random.pick(names)));
  }),
  ofOperations((all, random) => {
    const at = random.below(all.length);
    all[at] = withName(all[at] ?? '', random.pick(names));
  }),
  ofOperations((all) => all.reverse()),
  // Edits to lines between and inside operations.
  ofLines((all, random) => all.splice(random.below(all.length), 0, random.pick(added))),
  ofLines((all, random) => all.splice(random.below(all.length), 0, '')),
  (text, random) => `${'# note\n'.repeat(1 + random.below(3))}${text}`,
  // Edits to fields that other operations or files depend on.
  changed(/^( +operationName: ).*$/gm, (random) => `$1${random.pick(names)}`),
  changed(/^( +datasource: ).*$/gm, (random) => `$1${random.pick(['newsdb', 'db', 'nowhere', 'newsbd'])}`),
  changed(/^( +query: ).*$/gm, (random) => `$1${random.pick(queries)}`),
  changed(/^( +type: )(?:db|rest)$/gm, (random) => `$1${random.pick(['db', 'rest', 'dB', 'x'])}`),
  changed(/^( +url: ).*$/gm, (random) => `$1${random.pick(urls)}`),
  changed(/^( +)transaction: .*\n/gm, () => ''),
  changed(/^( +)fulfillments:$/gm, () => '$1transaction: true\n$1fulfillments:'),
  changed(/^( +fulfillments:)$/gm, () => '$1 &shared'),
  changed(/^( +)fulfillments:\n/gm, () => '$1fulfillments: *shared\n'),
  changed(/^specification: .*$/gm, (random) =>
    random.pick(['specification: "2.0"', 'specification: 1.0', '']),
  ),
  changed(/\n/g, () => '\r\n'),
];

const names = [
  'GET /a/{id}',
  'GET /a/{x}',
  'GET /A/{id}',
  'POST /a',
  'inner',
  "'GET /news/{id}'",
  'other',
  'GETT /x',
  '<<',
  'a)',
];
const added = [
  '    # a comment',
  '# apikiln-disable-next-line unread-result',
  '# apikiln-disable-next-line unread-parameter, unknown-column',
  '    # apikiln-disable-next-line never-true -- because',
  '    transaction: true',
  '    authentications: [nobody]',
  '    extra: 1',
  '---',
  '...',
  '  : x',
  '  ? x',
  '\t',
  '\ttransaction: true',
  '  \t- name: more',
  '\t\t# a comment',
  '      - name: more',
  '        if: VALUE(nothing, $.id) == INTEGER(1)',
];
const queries = [
  'SELECT id FROM news',
  'SELECT id, title FROM news WHERE id = :[PARAM(id)]',
  'SELECT * FROM',
  'UPDATE news SET title = :[PARAM(title)]',
  "DELETE FROM news WHERE id = 'x'",
];
const urls = [
  'jdbc:postgresql://localhost/',
  'jdbc:mysql://localhost/x',
  'https://api.example.com',
  '${URL}',
  'nothing',
];

function ofLines(change: (lines: string[], random: Random) => void): Edit {
  return (text, random) => {
    const all = text.split('\n');
    change(all, random);
    return all.join('\n');
  };
}

/** Edits the list of operations, which are recognized by their indentation of two spaces. */
function ofOperations(change: (operations: string[], random: Random) => void): Edit {
  return (text, random) => {
    const found = /^operations:[^\n]*\n((?:[ \t#\r][^\n]*\n|\n)+)/m.exec(text);
    if (found === null) return text;
    const [whole, section = ''] = found;
    const all = section.split(/^(?= {2}[^\s#])/m);
    if (all.length < 2) return text;
    const before = whole.slice(0, whole.length - section.length);
    const first = /^ {2}[^\s#]/.test(all[0] ?? '') ? '' : (all.shift() ?? '');
    change(all, random);
    const { index } = found;
    return text.slice(0, index) + before + first + all.join('') + text.slice(index + whole.length);
  };
}

function withName(operation: string, name: string): string {
  return operation.replace(/^ {2}.*?:(?=\s*\n)/, `  ${name}:`);
}

/** Replaces a random match. */
function changed(pattern: RegExp, replacement: (random: Random) => string): Edit {
  return (text, random) => {
    const all = [...text.matchAll(pattern)];
    if (all.length === 0) return text;
    const { 0: found, index } = random.pick(all);
    const put = found.replace(
      new RegExp(pattern.source, pattern.flags.replace('g', '')),
      replacement(random),
    );
    return text.slice(0, index) + put + text.slice(index + found.length);
  };
}
