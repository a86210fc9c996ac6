/** Statements that their database refuses: it was asked before the service runs. */
import type {
  AskedStatement,
  KnownTable,
  SchemaError,
  UncheckedStatement,
} from '../../analyze/statement-descriptions.js';
import type { Datasource } from '../../config/config-model.js';
import { ordinaryError, warning } from '../../diagnostics/catalogue/entry-messages.js';
import { isUnambiguous, nearest } from '../../diagnostics/suggest.js';
import { printExpression } from '../../expression/print-expression.js';
import type { Span } from '../../source.js';
import type { Refusal } from '../../sql/statement-description.js';
import { ruleOfWhole } from '../rule.js';

/** What to write if the server sends no hint. */
function schemaHint(message: string): string {
  const [, type] = /^type "([^"]+)" does not exist$/.exec(message) ?? [];
  if (type !== undefined) {
    const near = nearest(type, commonTypes);
    return near === undefined
      ? `Create the type '${type}' before this statement, or write another one.`
      : `Did you mean '${near}'?`;
  }
  const [, word] = syntaxError.exec(message) ?? [];
  if (word === undefined) return 'Correct the statement.';
  const keyword = nearest(word, schemaWords);
  return keyword === undefined
    ? `Correct the statement at or before '${word}'.`
    : `Write ${keyword} instead of ${word}.`;
}

const syntaxError = /^syntax error at or near "([^"]+)"$/;

const commonTypes = [
  ...[
    'text',
    'integer',
    'bigint',
    'smallint',
    'numeric',
    'boolean',
    'date',
    'timestamp',
    'timestamptz',
    'time',
  ],
  ...['interval', 'uuid', 'json', 'jsonb', 'bytea', 'varchar', 'char', 'real', 'serial', 'bigserial', 'inet'],
];

const schemaWords = [
  ...['TABLE', 'INDEX', 'VIEW', 'TYPE', 'SCHEMA', 'SEQUENCE', 'FUNCTION', 'EXTENSION', 'DOMAIN', 'TRIGGER'],
  ...[
    'UNIQUE',
    'PRIMARY',
    'FOREIGN',
    'REFERENCES',
    'CONSTRAINT',
    'DEFAULT',
    'COLUMN',
    'CREATE',
    'ALTER',
    'INSERT',
  ],
];

const namesAreOpen =
  'Unknown tables, columns and types are not reported, because this statement may create them.';

/** MySQL and MariaDB, for a URL that ends with the host. */
const noDatabase = 'No database selected';

export const sqlRefused = ruleOfWhole(
  {
    'sql-refused': ordinaryError(
      (p: { message: string; hint: string | undefined; meant: Meant | undefined }) => ({
        message: `The database rejects this statement: ${p.message}.`,
        hint: p.hint,
        instead: p.meant?.instead,
        isSuggestion: p.meant?.isSure !== true,
      }),
    ),
    'schema-refused': ordinaryError((p: { message: string; hint: string | undefined }) => ({
      message: `This statement of the schema fails: ${p.message}.`,
      hint: `${p.hint ?? schemaHint(p.message)} ${namesAreOpen}`,
    })),
    'schema-not-run': warning((p: { message: string; hint: string | undefined }) => ({
      message: `The embedded PostgreSQL lacks what this statement of the schema needs: ${p.message}.`,
      hint: `Ask a server that has it with --database; the rest of the schema is used. ${namesAreOpen}`,
    })),
    'sql-not-checked': warning((p: { reason: string; datasource: string; others: number }) => ({
      message: `This statement is not checked: ${p.reason}.`,
      hint: `${p.others === 0 ? 'It' : `It and ${p.others} more on '${p.datasource}'`} may be right or wrong. ${p.reason === noDatabase ? 'Write the name of the database at the end of the URL.' : 'Ask as a user with the privileges of the service.'}`,
    })),
  },
  ({ analysis, report }) => ({
    statement: (statement, { operation }) => {
      const described = analysis.descriptions.of(statement);
      if (described === undefined || !('refusal' in described.result)) return;
      const { asked, result } = described;
      const { refusal } = result;
      // `sql-insert-count` reports it without a database.
      if (/^INSERT has more (?:expressions|target columns)/.test(refusal.message)) return;
      if (isOfName(refusal) && !analysis.descriptions.isWhole(asked.datasource)) return;
      const { message, span } = inOwnWords(refusal, asked, operation.syntax);
      const tables = analysis.descriptions.tables(asked.datasource);
      const meant =
        meantColumn(refusal, span) ??
        columnOfTable(refusal, tables) ??
        meantTable(
          refusal,
          tables.map(({ name }) => name),
        );
      const hint = meant?.hint ?? castHint(refusal) ?? refusal.hint ?? otherHint(refusal, span);
      report('sql-refused', span, {
        message,
        hint: sentence(hint),
        meant,
      });
    },
    end: () => {
      for (const [datasource, [first, ...others]] of byDatasource(analysis.descriptions.unchecked))
        if (first !== undefined)
          report('sql-not-checked', first.asked.statement.pieces.text.span, {
            reason: first.reason,
            datasource: datasource.name.value,
            others: others.length,
          });
      for (const error of analysis.descriptions.errors) {
        const { message, hint, isLack } = error;
        report(isLack ? 'schema-not-run' : 'schema-refused', spanOfError(error), {
          message,
          hint: hint === undefined ? columnHint(error) : sentence(hint),
        });
      }
    },
  }),
);

/** The word that the server means, else the whole statement. */
function spanOfError({ source, start, end, message, at }: SchemaError): Span {
  const statement = source.text.slice(start, end);
  const [, name = ''] = /"([\w.]+)"/.exec(message) ?? [];
  const found = at ?? onlyIndexOf(name, statement);
  const word = found === undefined ? undefined : /^(?:[\w.]+|"[^"]*"|\S)/.exec(statement.slice(found))?.[0];
  if (found === undefined || word === undefined) return { source, start, end };
  return { source, start: start + found, end: start + found + word.length };
}

/** Where a word is in a text; undefined where it is not there, or more than once. */
function onlyIndexOf(word: string, text: string): number | undefined {
  const [only, other] = [...text.matchAll(/[\w.]+/g)].filter(([one]) => one === word);
  return other === undefined ? only?.index : undefined;
}

/** A name of the schema that may be meant by a column that is not there. */
function columnHint({ source, start, message }: SchemaError): string | undefined {
  const [, column] = /^column "([^"]+)"(?: of relation "[^"]+")? does not exist$/.exec(message) ?? [];
  if (column === undefined) return undefined;
  const names = new Set(source.text.slice(0, start).match(/[A-Za-z_]\w*/g));
  names.delete(column);
  const near = nearest(column, names);
  return near === undefined ? 'Write a column that its table has.' : `Did you mean '${near}'?`;
}

/** Once for each, with the first of its statements: a missing privilege concerns many. */
function byDatasource(
  unchecked: readonly UncheckedStatement[],
): ReadonlyMap<Datasource, readonly UncheckedStatement[]> {
  const all = new Map<Datasource, UncheckedStatement[]>();
  for (const one of unchecked) {
    const { datasource } = one.asked;
    const own = all.get(datasource) ?? [];
    own.push(one);
    all.set(datasource, own);
  }
  return all;
}

/** Tables, columns, functions, types and schemas that are not there; the numbers are MySQL's. */
const nameCodes = new Set([
  ...['42P01', '42703', '42883', '42704', '3F000', '42P02'],
  ...['1146', '1054', '1305', '1630', '1049', '1051', '1109'],
]);

function isOfName({ code }: Refusal): boolean {
  return nameCodes.has(code);
}

/** The message and its span, with the bound expressions instead of their markers. */
function inOwnWords(
  { message, at }: Refusal,
  asked: AskedStatement,
  syntax: 'A' | 'B',
): { message: string; span: Span } {
  const { statement, bindings } = asked;
  const marker = /\$(\d+)/.exec(message);
  const named = marker === null ? undefined : bindings[Number(marker[1]) - 1];
  const span = at !== undefined ? asked.spanOf(at) : (named?.span ?? statement.pieces.text.span);
  const words = message.replaceAll(/parameter \$(\d+)/g, (written, number: string) => {
    const bound = bindings[Number(number) - 1];
    return bound === undefined ? written : `:[${printExpression(bound, syntax)}]`;
  });
  return { message: words, span };
}

/** How values are written, by the name of their type. */
const literals: Readonly<Record<string, string>> = {
  ...{ integer: '5', bigint: '5', smallint: '5', numeric: '1.5', boolean: 'true', interval: "'1 day'" },
  ...{ date: "'2024-01-31'", time: "'13:45'", uuid: "'123e4567-e89b-12d3-a456-426614174000'" },
  ...{
    timestamp: "'2024-01-31 13:45'",
    'timestamp with time zone': "'2024-01-31 13:45Z'",
    json: `'{"a": 1}'`,
  },
};

/** What SQL has instead of operators of other languages. */
const sqlOperators: ReadonlyMap<string, string> = new Map([
  ['==', '='],
  ['===', '='],
  ['!==', '<>'],
  ['&&', 'AND'],
]);

/** The missing cast, if PostgreSQL names the types that do not match. */
function castHint({ code, message }: Refusal): string | undefined {
  if (code === '42804') {
    const [, wanted] = /^column .* is of type (.+) but expression is of type /.exec(message) ?? [];
    if (wanted !== undefined) return `Use a value of type ${wanted}, or a cast: (…)::${wanted}`;
    const [, one, other] = /types (.+) and (.+) cannot be matched$/.exec(message) ?? [];
    if (one !== undefined && other !== undefined)
      return `Cast one of the two values to the type of the other: (…)::${one} or (…)::${other}`;
    return /must be type boolean, not type/.test(message)
      ? 'Write a comparison, such as … = 1 or … IS NOT NULL.'
      : undefined;
  }
  const [, type] = /^invalid input (?:syntax|value) for (?:type|enum) ([\w ]+):/.exec(message) ?? [];
  if (type !== undefined)
    return `Write a value of the type ${type}${literals[type] === undefined ? '' : `, such as ${literals[type]}`}.`;
  if (code !== '42883') return undefined;
  if (/^operator does not exist: @ /.test(message))
    return 'PostgreSQL has no variables. Write a placeholder, such as :[…], for a value.';
  const [, left, operator = '', right] =
    /^operator does not exist: (\S.*?) ([-+*/<>=~!@#%^&|`?]+) (\S.*)$/.exec(message) ?? [];
  const meant = sqlOperators.get(operator);
  if (meant !== undefined) return `Write ${meant} instead of ${operator}.`;
  const isDate = (type: string | undefined): boolean => /^(?:timestamp|date|time)\b/.test(type ?? '');
  if (isDate(left) && /^(?:integer|bigint|smallint|numeric)$/.test(right ?? ''))
    return "Write an interval instead of the number, such as interval '5 days'.";
  if (left !== undefined && right !== undefined)
    return `Cast one side to the type of the other: the left one with ::${right}, or the right one with ::${left}.`;
  const [, name, types = ''] = /^function ([^(]+)\((.*)\) does not exist$/.exec(message) ?? [];
  if (name === undefined) return undefined;
  if (/^(?:min|max)$/i.test(name) && types.includes(','))
    return `Write ${/^min$/i.test(name) ? 'least' : 'greatest'}( … ) for the ${/^min$/i.test(name) ? 'smallest' : 'largest'} of several values.`;
  return types === ''
    ? `Write a function that the database has, or create '${name}'.`
    : `Check the name, or cast the values to types that it accepts, for example ${name}((…)::${/text|char|unknown/.test(types) ? 'numeric' : 'text'}).`;
}

/** What to check if neither the server nor the types are enough. */
function otherHint({ message }: Refusal, { source, start, end }: Span): string {
  const [, word] = syntaxError.exec(message) ?? [];
  if (word !== undefined) return `Correct the statement at '${word}', or write what is missing before it`;
  const marked = source.text.slice(start, end);
  return marked.length > 40 || marked.includes('\n')
    ? 'Correct the statement'
    : `Correct the statement at '${marked}'`;
}

interface Meant {
  readonly hint: string;
  /** Undefined where no name is near. */
  readonly instead: string | undefined;
  readonly isSure: boolean;
}

/** PostgreSQL names a column that may be meant. */
function meantColumn({ hint = '' }: Refusal, { source, start, end }: Span): Meant | undefined {
  const [, name] = /^Perhaps you meant to reference the column "([^"]+)"\.?$/.exec(hint) ?? [];
  if (name === undefined) return undefined;
  const written = source.text.slice(start, end);
  const column = written.includes('.') ? name : name.slice(name.lastIndexOf('.') + 1);
  const isPlain = /^[\w.]+$/.test(written) && /^[a-z_][a-z0-9_.]*$/.test(column);
  return {
    hint: `Did you mean '${column}'?`,
    instead: isPlain ? column : undefined,
    isSure: isUnambiguous(written, [column]),
  };
}

/** PostgreSQL names no column that may be meant in the columns of an INSERT and in SET. */
function columnOfTable({ message }: Refusal, tables: readonly KnownTable[]): Meant | undefined {
  const [, column = '', table] =
    /^column "([^"]+)" of relation "([^"]+)" does not exist$/.exec(message) ?? [];
  const columns = tables.find(({ name }) => name === table)?.columns ?? [];
  if (columns.length === 0) return undefined;
  const near = nearest(column, columns);
  const list = columns.slice(0, maxTables).join(', ');
  const all = `Its columns are ${list}${columns.length > maxTables ? ` and ${columns.length - maxTables} more` : ''}.`;
  return near === undefined
    ? { hint: all, instead: undefined, isSure: false }
    : {
        hint: `Did you mean '${near}'? ${all}`,
        instead: /^[a-z_][a-z0-9_]*$/.test(near) ? near : undefined,
        isSure: isUnambiguous(column, columns),
      };
}

/** The server names no table that may be meant. */
function meantTable({ message, code }: Refusal, tables: readonly string[]): Meant | undefined {
  const pattern =
    code === '1146' ? /^Table '(?:[^'.]*\.)?([^']*)' doesn't exist$/ : /^relation "([^"]*)" does not exist$/;
  const [, name] = pattern.exec(message) ?? [];
  if ((code !== '42P01' && code !== '1146') || name === undefined) return undefined;
  if (tables.length === 0) return { hint: noTables, instead: undefined, isSure: false };
  const near = nearest(name, tables);
  const list = tables.slice(0, maxTables).join(', ');
  const all = `The tables are ${list}${tables.length > maxTables ? ` and ${tables.length - maxTables} more` : ''}.`;
  return near === undefined
    ? { hint: all, instead: undefined, isSure: false }
    : {
        hint: `Did you mean '${near}'? ${all}`,
        instead: /^[a-z_][a-z0-9_]*$/.test(near) ? near : undefined,
        isSure: isUnambiguous(name, tables),
      };
}

const maxTables = 20;

const noTables =
  'The database has no tables at all: load its schema first, or name another database with --database, or the file of the schema with --schema.';

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
