/** The kinds of databases. */

/** The two kinds of database; MariaDB is of the kind mysql. */
export type DatabaseKind = 'postgresql' | 'mysql';
