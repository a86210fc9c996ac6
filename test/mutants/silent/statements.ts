/** Errors in SQL, and in the way values are inserted into strings. */
import { instructionsOf, type Config, type Text } from './configuration.js';
import {
  fulfillmentsOf,
  isOfDatabase,
  isRead,
  isUpdate,
  matches,
  type Edit,
  type ErrorClass,
} from './edit.js';

function sql(
  config: Config,
  pattern: RegExp,
  replacement: (match: RegExpMatchArray, text: Text) => string | undefined,
): Edit[] {
  return matches(config, ['sql'], pattern, replacement);
}

/** Rewrites each SQL placeholder. */
function placeholders(config: Config, write: (inside: string, text: Text) => string | undefined): Edit[] {
  return sql(config, /:\[((?:[^[\]]|\[[^\]]*\])*)\]/g, ([, inside = ''], text) => write(inside, text));
}

/** Changes the type of database READs or UPDATEs whose statement matches. */
function withType(config: Config, begins: RegExp, type: string, ending = ''): Edit[] {
  return fulfillmentsOf(config, ({ fulfillment }) => isRead(fulfillment) || isUpdate(fulfillment)).flatMap(
    ({ fulfillment }) => {
      const instructions = instructionsOf(fulfillment);
      const isMeant = instructions.every(({ query }) => query !== undefined && begins.test(query));
      if (!isMeant || instructions.length === 0 || !isOfDatabase(config, fulfillment)) return [];
      if (fulfillment.type.toUpperCase() === type) return [];
      return () => {
        fulfillment.type = type;
        for (const one of instructions)
          if (ending !== '' && !/RETURNING/i.test(one.query ?? ''))
            one.query = `${one.query?.trimEnd() ?? ''}${ending}`;
      };
    },
  );
}

/** `INSERT INTO t (columns) VALUES (values)` on one line, with values separated by commas. */
const insert = /^(\s*INSERT INTO \w+\s*)\(([^()]*)\)(\s*VALUES\s*)\((.*)\)\s*$/gis;

export const statementClasses: readonly ErrorClass[] = [
  {
    name: 'DELETE without WHERE',
    edits: (config) => sql(config, /^(\s*DELETE FROM \w+)\s+WHERE[^;]*$/gis, ([, before = '']) => before),
  },
  {
    name: 'UPDATE without WHERE',
    edits: (config) =>
      sql(config, /^(\s*UPDATE \w+ SET (?:(?!FROM).)*?)\s+WHERE[^;]*$/gis, ([, before = '']) => before),
  },
  {
    name: 'READ that writes, with RETURNING',
    edits: (config) => withType(config, /^\s*(?:INSERT|UPDATE|DELETE)\b/i, 'READ', ' RETURNING *'),
  },
  { name: 'UPDATE that only selects', edits: (config) => withType(config, /^\s*SELECT\b/i, 'UPDATE') },
  {
    name: 'INSERT with a value too few',
    edits: (config) =>
      sql(config, insert, ([, before = '', columns = '', values = '', list = '']) =>
        /^(?::\[(?:[^[\]]|\[\d+\])*\](?:, )?){2,}$/.test(list)
          ? `${before}(${columns})${values}(${list.slice(0, list.lastIndexOf(', :['))})`
          : undefined,
      ),
  },
  {
    name: 'INSERT with a column too few',
    edits: (config) =>
      sql(config, insert, ([, before = '', columns = '', values = '', list = '']) =>
        columns.includes(',')
          ? `${before}(${columns.slice(0, columns.lastIndexOf(','))})${values}(${list})`
          : undefined,
      ),
  },
  {
    name: 'SQL keyword misspelt',
    edits: (config) =>
      [
        [/\bFROM\b/, 'FORM'],
        [/\bWHERE\b/, 'WHRE'],
        [/\bORDER BY\b/, 'ODER BY'],
      ].flatMap(([from, to]) => sql(config, new RegExp(from ?? '', 'g'), () => String(to))),
  },
  {
    name: 'SELECT a, FROM',
    edits: (config) => sql(config, /(\w) FROM\b/g, ([, last = '']) => `${last}, FROM`),
  },
  {
    name: 'SQL parenthesis not closed',
    edits: (config) =>
      sql(config, /\)(?=[^)\]]*$)/g, (match, { value }) =>
        /[[{][^\]}]*$/.test(value.slice(0, match.index)) ? undefined : '',
      ),
  },
  {
    name: 'placeholder [PARAM(x)]',
    edits: (config) => placeholders(config, (inside, { isB }) => (isB ? undefined : `[${inside}]`)),
  },
  {
    name: 'placeholder [param.x] (B)',
    edits: (config) =>
      placeholders(config, (inside, { isB }) =>
        isB && /^(?:param|body)\./.test(inside) ? `[${inside}]` : undefined,
      ),
  },
  {
    name: 'PARAM(x) bare in SQL',
    edits: (config) => placeholders(config, (inside, { isB }) => (isB ? undefined : inside)),
  },
  {
    name: 'param.x bare in SQL',
    edits: (config) =>
      placeholders(config, (inside, { isB }) => (isB && inside.startsWith('param.') ? inside : undefined)),
  },
  { name: 'placeholder {{PARAM(x)}}', edits: (config) => placeholders(config, (inside) => `{{${inside}}}`) },
  { name: 'placeholder ${PARAM(x)}', edits: (config) => placeholders(config, (inside) => `\${${inside}}`) },
  { name: 'placeholder : [PARAM(x)]', edits: (config) => placeholders(config, (inside) => `: [${inside}]`) },
  {
    name: '{PARAM(x)} or PARAM(x) in a message',
    edits: (config) => [
      ...matches(
        config,
        ['message'],
        /:\[(PARAM\(\w+\)|VALUE\(\w+, \$\.\w+\))\]/g,
        ([, inside = '']) => `{${inside}}`,
      ),
      ...matches(
        config,
        ['message'],
        /:\[(PARAM\(\w+\)|VALUE\(\w+, \$\.\w+\))\]/g,
        ([, inside = '']) => inside,
      ),
    ],
  },
  {
    name: '{x} in the URL of a request',
    edits: (config) => matches(config, ['url'], /(?<!^):\[(?:PARAM|VALUE|BODY)\([^\]]*\)\]/g, () => '{id}'),
  },
  {
    name: '${VAR} in SQL',
    edits: (config) => sql(config, /\bFROM (\w+)/g, ([whole]) => `${whole} WHERE tenant = \${TENANT} --`),
  },
  {
    name: '${VAR} in a message',
    edits: (config) => matches(config, ['message'], /$/g, () => ' ${SUPPORT_MAIL}'),
  },
  {
    name: 'URL with :PARAM(x)] or :)PARAM(x)]',
    edits: (config) => [
      ...matches(config, ['url'], /(?<!^):\[/g, () => ':'),
      ...matches(config, ['url'], /(?<!^):\[/g, () => ':)'),
    ],
  },
];
