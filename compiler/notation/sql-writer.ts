/** The writer of SQL: names and literals. */
import { asWritten, tagOf, type Written } from './written.js';

/** The notations of databases. */
type SqlDialect = 'postgresql' | 'mysql';

/** A template literal of SQL; its holes are written SQL. */
export const sql = Object.assign(tagOf<'sql'>(), {
  /** A name in quotes, whatever the name is. */
  identifier: (name: string, dialect: SqlDialect): Written<'sql'> => {
    const quote = dialect === 'postgresql' ? '"' : '`';
    return asWritten<'sql'>(`${quote}${name.replaceAll(quote, quote + quote)}${quote}`);
  },

  /** A name in quotes only where the database would not read the name so without them. `reserved`: words that are no names. */
  plainIdentifier: (name: string, dialect: SqlDialect, reserved: ReadonlySet<string>): Written<'sql'> => {
    const isPlain = dialect === 'postgresql' ? /^[a-z_][a-z0-9_]*$/ : /^[a-z_][a-z0-9_]*$/i;
    return isPlain.test(name) && !reserved.has(name.toLowerCase())
      ? asWritten<'sql'>(name)
      : sql.identifier(name, dialect);
  },

  /** A type or number of this package's own, without anything that would need quotes: `varchar(20)`, `text[]`, `-1.5e3`. */
  plain: (text: string): Written<'sql'> => {
    if (!/^[\w.+-]+(?: \w+)*(?:\(\d+\))?(?:\[\])?$/.test(text))
      throw new Error('SQL of this form needs a writer.');
    return asWritten<'sql'>(text);
  },

  /** A string as a literal, in sessions with standard strings (PostgreSQL) or backslash escapes (MySQL, its default). */
  string: (text: string, dialect: SqlDialect): Written<'sql'> => {
    const escaped = text.replaceAll("'", "''");
    return asWritten<'sql'>(`'${dialect === 'mysql' ? escaped.replaceAll('\\', '\\\\') : escaped}'`);
  },

  /** `:[…]`, the place of a value in a statement of a configuration. */
  placeholder: (value: Written<'expression'>): Written<'sql'> => {
    return asWritten<'sql'>(`:[${value}]`);
  },

  /** SQL from the catalogue of a database: a quoted name, a type, a default. */
  ofCatalogue: (text: string): Written<'sql'> => {
    return asWritten<'sql'>(text);
  },

  /** A string as an expression of MySQL, whatever escapes the session has. */
  hexString: (text: string): Written<'sql'> => {
    const hex = [...new TextEncoder().encode(text)]
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join('');
    return asWritten<'sql'>(`CONVERT(X'${hex}' USING utf8mb4)`);
  },
});
