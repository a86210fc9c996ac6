/** The benchmark's private database servers with their rows, and the settings for servers under test to reach them. */
import type { DatabaseServer } from '../helpers/database-server.js';
import { startMariadb } from '../helpers/mariadb-server.js';
import { startPostgres } from '../helpers/postgres-server.js';
import { moveTo } from './cores.js';
import { databaseTime, serverPid, type DatabaseTime } from './database-time.js';

/** The name of the database in each server. */
export const databaseName = 'news';

/**
 * 10,000 news, 100,000 comments with an index (ten for each news), 10,000 books, and 100 accounts with the password `correct horse battery`.
 * Timestamps end in a nonzero digit, which all servers format alike.
 */
const postgresRows = `
create table news (id int primary key, title text not null, body text not null, created timestamptz not null);
create table comment (id int primary key, news_id int not null, body text not null);
create table book (id int primary key, title text not null, author text not null,
  price double precision not null, published boolean not null, created timestamptz not null);
create table note (id bigint generated always as identity primary key, news_id int not null, text text not null);
create table stock (news_id int primary key, ordered int not null);
create table ordered (id bigint generated always as identity primary key, news_id int not null, text text not null);
create table account (id int primary key, hash text not null);
create table session (hash text primary key, account int not null);
insert into account select i, '$scrypt$ln=15,r=8,p=1$3THe9/aof7b3+vBtajNZHg$M+OTEswWEDiaAbXrU6PRXDOyltIvv6py/vwqfXJLN4M' from generate_series(1, 100) i;
insert into stock select i, 0 from generate_series(1, 10000) i;
insert into news select i, 'News number ' || i || ' of the day', repeat('Some text of news ' || i || '. ', 8),
  timestamptz '2024-01-01 00:00:00Z' + i * interval '1 minute' + (i % 9 + 1) * interval '1 millisecond' from generate_series(1, 10000) i;
insert into comment select i, (i - 1) % 10000 + 1, 'Comment ' || i || ' says this and that' from generate_series(1, 100000) i;
insert into book select i, 'Book number ' || i, 'Author ' || i % 500, i % 4000 + 0.25, i % 3 = 0,
  timestamptz '2024-01-01 00:00:00Z' + i * interval '1 hour' + (i % 9 + 1) * interval '1 millisecond' from generate_series(1, 10000) i;
create index on comment (news_id);
`;

const mariadbRows = `
create table news (id int primary key, title text not null, body text not null, created timestamp(3) not null);
create table comment (id int primary key, news_id int not null, body text not null, index (news_id));
create table note (id bigint auto_increment primary key, news_id int not null, text text not null);
create table stock (news_id int primary key, ordered int not null);
create table ordered (id bigint auto_increment primary key, news_id int not null, text text not null);
insert into stock select seq, 0 from seq_1_to_10000;
insert into news select seq, concat('News number ', seq, ' of the day'), repeat(concat('Some text of news ', seq, '. '), 8),
  from_unixtime(1704067200 + seq * 60 + (seq % 9 + 1) / 1000) from seq_1_to_10000;
insert into comment select seq, (seq - 1) % 10000 + 1, concat('Comment ', seq, ' says this and that') from seq_1_to_100000;
create table book (id int primary key, title text not null, author text not null, price double not null, published boolean not null, created timestamp(3) not null);
insert into book select seq, concat('Book number ', seq), concat('Author ', seq % 500), seq % 4000 + 0.25, seq % 3 = 0,
  from_unixtime(1704067200 + seq * 3600 + (seq % 9 + 1) / 1000) from seq_1_to_10000;
analyze table news, comment, book;
`;

/** A database server filled with the rows. */
export interface BenchDatabase {
  readonly server: DatabaseServer;
  /** Processor time of the server, with a counter for each caller. */
  readonly time: () => Promise<DatabaseTime>;
  /** Environment variables of generated services. */
  readonly forService: Readonly<Record<string, string>>;
  /** Environment variables of hand-written servers. */
  readonly forPeer: Readonly<Record<string, string>>;
}

/** Starts each server when the first job needs it. */
export class Databases {
  #postgres: Promise<BenchDatabase> | undefined;
  #mariadb: Promise<BenchDatabase> | undefined;

  /** Without `cores`, servers run on the cores of this process. */
  constructor(
    private readonly log: (text: string) => void,
    private readonly cores?: string,
  ) {}

  postgres(): Promise<BenchDatabase> {
    this.#postgres ??= this.startPostgres();
    return this.#postgres;
  }

  mariadb(): Promise<BenchDatabase> {
    this.#mariadb ??= this.startMariadb();
    return this.#mariadb;
  }

  async stop(): Promise<void> {
    for (const database of [this.#postgres, this.#mariadb]) await (await database)?.server.stop();
  }

  private async startPostgres(): Promise<BenchDatabase> {
    this.log('Starting PostgreSQL …');
    const server = await startPostgres();
    await server.createDatabase(databaseName);
    await server.exec(databaseName, postgresRows);
    await server.exec(databaseName, 'vacuum analyze');
    moveTo(this.cores, await serverPid(server, databaseName));
    const { host, port, user, password } = server;
    return {
      server,
      time: () => databaseTime(server, databaseName),
      forService: forService(server),
      forPeer: {
        ...{ PGHOST: host, PGPORT: String(port), PGUSER: user, PGPASSWORD: password },
        PGDATABASE: databaseName,
      },
    };
  }

  private async startMariadb(): Promise<BenchDatabase> {
    this.log('Starting MariaDB …');
    const server = await startMariadb();
    await server.createDatabase(databaseName);
    await server.exec(databaseName, mariadbRows);
    moveTo(this.cores, await serverPid(server, databaseName));
    const { host, port, user, password } = server;
    return {
      server,
      time: () => databaseTime(server, databaseName),
      forService: forService(server),
      forPeer: {
        ...{ MYSQL_HOST: host, MYSQL_PORT: String(port), MYSQL_USER: user, MYSQL_PASSWORD: password },
        MYSQL_DATABASE: databaseName,
      },
    };
  }
}

function forService(server: DatabaseServer): Readonly<Record<string, string>> {
  return {
    DATASOURCE_NEWSDB_URL: server.jdbcUrl(databaseName),
    DATASOURCE_NEWSDB_USER: server.user,
    DATASOURCE_NEWSDB_PASSWORD: server.password,
  };
}
