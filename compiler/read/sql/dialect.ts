/** The SQL dialects; `mysql` covers MySQL and MariaDB. */
export type Dialect = 'postgresql' | 'mysql';

/** The name to use in messages. */
export function dialectName(dialect: Dialect): string {
  return dialect === 'postgresql' ? 'PostgreSQL' : 'MySQL';
}
