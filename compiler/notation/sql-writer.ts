/** Writes SQL names and literals. */
import { asWritten, tagOf, type Written } from './written.js';

/** The SQL dialects. */
type SqlDialect = 'postgresql' | 'mysql';

/** A template literal for SQL. Substitutions must be SQL. */
export const sql = Object.assign(tagOf<'sql'>(), {
  /** The name in quotes. */
  identifier: (name: string, dialect: SqlDialect): Written<'sql'> => {
    const quote = dialect === 'postgresql' ? '"' : '`';
    return asWritten<'sql'>(`${quote}${name.replaceAll(quote, quote + quote)}${quote}`);
  },

  /** The name, quoted only if the database would misread it without quotes. `reserved` lists words that cannot be unquoted names. */
  plainIdentifier: (name: string, dialect: SqlDialect, reserved: ReadonlySet<string>): Written<'sql'> => {
    const isPlain = dialect === 'postgresql' ? /^[a-z_][a-z0-9_]*$/ : /^[a-z_][a-z0-9_]*$/i;
    return isPlain.test(name) && !reserved.has(name.toLowerCase())
      ? asWritten<'sql'>(name)
      : sql.identifier(name, dialect);
  },

  /** A type or number that never needs quotes: `varchar(20)`, `text[]`, `-1.5e3`. */
  plain: (text: string): Written<'sql'> => {
    if (!/^[\w.+-]+(?: \w+)*(?:\(\d+\))?(?:\[\])?$/.test(text))
      throw new Error('SQL of this form needs a writer.');
    return asWritten<'sql'>(text);
  },

  /** A string literal for sessions with standard strings (PostgreSQL) or backslash escapes (the default of MySQL). */
  string: (text: string, dialect: SqlDialect): Written<'sql'> => {
    const escaped = text.replaceAll("'", "''");
    return asWritten<'sql'>(`'${dialect === 'mysql' ? escaped.replaceAll('\\', '\\\\') : escaped}'`);
  },

  /** A placeholder `:[…]` for a value in a statement of a configuration. */
  placeholder: (value: Written<'expression'>): Written<'sql'> => {
    return asWritten<'sql'>(`:[${value}]`);
  },

  /** SQL from a database catalog: a quoted name, a type, a default. */
  ofCatalogue: (text: string): Written<'sql'> => {
    return asWritten<'sql'>(text);
  },

  /** A string as a MySQL expression that does not depend on the session's escape mode. */
  hexString: (text: string): Written<'sql'> => {
    const hex = [...new TextEncoder().encode(text)]
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join('');
    return asWritten<'sql'>(`CONVERT(X'${hex}' USING utf8mb4)`);
  },
});
