/**
 * Several servers of one datasource: selects the server for each new connection, and decides when connections to a server are
 * abandoned.
 */
import type { Socket } from 'node:net';
import type { Row } from '../handler/json.js';
import { asError } from '../handler/reply.js';
import type { ConnectionSettings, Hosts } from './connection-settings.js';
import { beforeDeadline, settledBefore } from './clock.js';
import type { DatabaseSystem, Driver, DriverConnection, KnexSettings, Place, Query } from './driver.js';
import { asFailure, DatabaseFailure, isWithoutConnection, type Aftermath, type Failure } from './failure.js';

/** With statements in flight, milliseconds without data from the server before it is probed; also the time limit of the probe. */
const silence = 1_500;
const patience = 1_500;

/** Milliseconds between two checks for data from a server. */
const lookInterval = 250;

/** Milliseconds before an unreachable server is tried again in parallel with the others. */
const recheckPause = 10_000;

/** Milliseconds before a failed server may be abandoned again, and after which all servers are tried again. */
const failurePause = 1_000;
const refusalPause = 200;

/** Milliseconds for closing an unused connection cleanly. */
const endTime = 250;

/** Codes of a read-only standby: another server has taken over. */
const readOnly = new Set<string | number | undefined>(['25006', 1290, 1836]);

/** ER_UNKNOWN_COM_ERROR: the node has left its Galera cluster and rejects all statements. */
const outOfCluster = 1047;
const outside = 'it has left its cluster';

/** Codes that end a single session of a healthy server. */
const ofSession = new Set<string | number | undefined>(['25P03', '25P04', '57P05', 1927, 4031]);

/** Network errors that mean an unreachable server. */
const unreachable = new Set<string | number | undefined>([
  'ECONNREFUSED',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
]);

/** The driver of the datasource. For several hosts, it selects among the drivers of the hosts. */
export function driverOf(
  system: DatabaseSystem,
  settings: ConnectionSettings,
  warn: (warning: string) => void,
): Driver {
  const { hosts } = settings;
  return hosts === undefined
    ? system.driver(settings, warn)
    : new DriverOfHosts(system, settings, hosts, warn);
}

/** One of the servers of a datasource. */
class Server implements Place {
  readonly name: string;
  readonly driver: Driver;
  /** Connections opened before this time must not be used for new statements. */
  private trustedSince = -Infinity;
  /** Time of the last failure; undefined after the server has accepted a connection. */
  failedAt: number | undefined;
  private isSilent = false;
  /** Whether the server has failed since it was last used: another server may have taken over without its knowledge. */
  isDoubted = false;
  /** When the server became the primary, according to its last report; undefined if unknown. */
  generation: Generation | undefined;
  /**
   * Start of an unanswered connection attempt that checks for a rival primary, in milliseconds of `performance.now()`; undefined if
   * there is none.
   */
  owesSince: number | undefined;
  private isAsked = false;
  private lookedAt = 0;
  /** Start of a period with statements in flight but no data from the server. */
  private waitsSince: number | undefined;
  /** The number of bytes received by each connection at the last check. */
  private readonly received = new Map<Socket, number>();

  constructor(
    system: DatabaseSystem,
    readonly settings: ConnectionSettings,
    private readonly isForReading: boolean,
    private readonly warn: (warning: string) => void,
  ) {
    const { host, port } = settings;
    this.name = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    this.driver = system.driver(settings, (warning) => {
      warn(`${this.name}: ${warning}`);
    });
  }

  trusts(born: number): boolean {
    return born >= this.trustedSince;
  }

  failed({ aftermath, code }: Failure): void {
    if (aftermath === 'broken' || ofSession.has(code)) return;
    if (readOnly.has(code)) {
      if (this.isForReading) return;
      this.isGone('it can only be read');
    }
    if (code === outOfCluster) this.isGone(outside);
    this.leave();
  }

  responds(now: number): boolean {
    if (now - this.lookedAt < lookInterval) return !this.isSilent;
    this.lookedAt = now;
    if (this.hasReceived()) this.waitsSince = now;
    else if (this.waitsSince === undefined) this.waitsSince = now;
    else if (now - this.waitsSince > silence && !this.isAsked) void this.ask();
    return !this.isSilent;
  }

  /** Opens a connection. Throws the errors of the driver. */
  async connect(isShared: boolean): Promise<DriverConnection> {
    const session = await this.driver.connect(isShared);
    const { socket } = session;
    this.received.set(socket, -1);
    socket.once('close', () => this.received.delete(socket));
    session.place = this;
    return session;
  }

  /** Records that the server has accepted a usable connection. */
  isThere(): void {
    if (this.failedAt !== undefined) this.warn(`${this.name} can be used again.`);
    this.failedAt = undefined;
    this.isSilent = false;
    this.isDoubted = false;
  }

  /** Records that the server has not accepted a connection. */
  isGone(reason: string): void {
    if (this.failedAt === undefined) this.warn(`${this.name} is not used: ${reason}.`);
    this.failedAt = performance.now();
    this.isDoubted = true;
  }

  /** Excludes open connections from new statements. */
  leave(): void {
    this.isDoubted = true;
    const now = performance.now();
    if (now - this.trustedSince > failurePause) this.trustedSince = now;
  }

  /** Excludes open connections from new statements, because another server has taken over; applies even directly after a failure. */
  isReplaced(): void {
    this.trustedSince = performance.now();
  }

  private hasReceived(): boolean {
    let isNew = false;
    for (const [socket, before] of this.received) {
      if (socket.bytesRead === before) continue;
      this.received.set(socket, socket.bytesRead);
      isNew = true;
    }
    return isNew;
  }

  /** Probes the server with an additional connection, because a statement can be slow on a healthy server. Never fails. */
  private async ask(): Promise<void> {
    this.isAsked = true;
    const pending = this.driver.connect(false);
    pending.then(discard, nothing);
    const failure = await beforeDeadline(pending, performance.now() + patience, late).then(
      () => undefined,
      (error: unknown) => asFailure(error, () => this.driver.failureOf(error, undefined)).failure,
    );
    // The driver reports timeouts without a code.
    this.isSilent =
      failure !== undefined &&
      (failure.code === undefined ? failure.aftermath === undefined : unreachable.has(failure.code));
    if (this.isSilent) {
      this.isGone('it does not respond');
      this.leave();
    }
    this.waitsSince = undefined;
    this.isAsked = false;
  }
}

class DriverOfHosts implements Driver {
  readonly commitsWithin: boolean;
  private readonly servers: readonly Server[];
  /** Any of the servers, for properties that all servers share. */
  private readonly first: Server;
  /** The server of the most recent connection. */
  private last: Server | undefined;
  /** The failure that all servers have in common, and the time before which they are not tried again. */
  private refusal: { readonly until: number; readonly failure: DatabaseFailure } | undefined;

  constructor(
    private readonly system: DatabaseSystem,
    settings: ConnectionSettings,
    private readonly hosts: Hosts,
    private readonly warn: (warning: string) => void,
  ) {
    const isForReading = settings.isReplica === true || hosts.target.toLowerCase().endsWith('secondary');
    this.servers = hosts.all.map(
      (host) => new Server(system, { ...settings, ...host, hosts: undefined }, isForReading, warn),
    );
    const [first] = this.servers;
    if (first === undefined) throw new Error('no host');
    this.first = first;
    this.commitsWithin = first.driver.commitsWithin;
  }

  get shared(): number {
    return (this.last ?? this.first).driver.shared;
  }

  failureOf(error: unknown, text: string | undefined): Failure {
    return this.first.driver.failureOf(error, text);
  }

  isWrite(error: unknown): boolean {
    return this.first.driver.isWrite(error);
  }

  /** Tries the servers one after the other. Throws a DatabaseFailure that names all of them. */
  async connect(isShared: boolean): Promise<DriverConnection> {
    if (this.refusal !== undefined && performance.now() < this.refusal.until) throw this.refusal.failure;
    const refusals: Refusal[] = [];
    let second: Opened | undefined;
    const before = this.last;
    for (const server of this.candidates(isShared)) {
      // Skip servers that may not respond if there are others.
      if (second !== undefined && server.failedAt !== undefined) continue;
      try {
        const opened = await this.open(server, isShared);
        if (opened.suits) {
          discard(second?.session);
          return await this.use(await this.current(opened, isShared), isShared, before);
        }
        if (second === undefined && this.hosts.target.startsWith('prefer')) second = opened;
        else discard(opened.session);
        refusals.push({ server, reason: this.asksForPrimary ? 'it can only be read' : 'it is the primary' });
      } catch (error) {
        const refusal = this.refusalOf(error, server);
        refusals.push(refusal);
        // A server that only refuses shared connections is still available.
        if (!isShared || refusal.code !== undefined) server.isGone(refusal.reason);
      }
    }
    if (second !== undefined) return this.use(second, isShared, before);
    const failure = refusedByAll(refusals);
    if (failure.failure.aftermath === undefined && !isShared)
      this.refusal = { until: performance.now() + refusalPause, failure };
    throw failure;
  }

  /**
   * The connection, or a connection to a server that has become the primary in the meantime. A server that was frozen, isolated or
   * restarted still considers itself the primary, so the other servers are asked before its first use and after a failure. Never fails.
   */
  private async current(opened: Opened, isShared: boolean): Promise<Opened> {
    const { server } = opened;
    if (!this.hasOnePrimary || (server === this.last && !server.isDoubted)) return opened;
    const others = this.servers.filter((other) => other !== server && other.failedAt === undefined);
    const [rivals] = await Promise.all([
      Promise.all(others.map((other) => this.rival(other, isShared))),
      this.learn(opened),
    ]);
    let current = opened;
    for (const rival of rivals) {
      if (rival === undefined) continue;
      await this.learn(rival);
      const isRivalNewer = isNewer(rival.server.generation, current.server.generation);
      discard((isRivalNewer ? current : rival).session);
      if (isRivalNewer) current = rival;
    }
    return current;
  }

  /**
   * A connection to another server that considers itself the primary, if it responds soon. Concurrent connection attempts share this
   * wait. Never fails.
   */
  private async rival(server: Server, isShared: boolean): Promise<Opened | undefined> {
    server.owesSince ??= performance.now();
    const pending = this.open(server, isShared).finally(() => {
      server.owesSince = undefined;
    });
    try {
      const opened = await beforeDeadline(pending, server.owesSince + patience, () => {
        // Later connection attempts do not wait for this server; it is tried again in parallel.
        server.isGone('it does not respond');
        return late();
      });
      if (opened.suits) return opened;
      discard(opened.session);
    } catch {
      pending.then(({ session }) => {
        discard(session);
      }, nothing);
    }
    return undefined;
  }

  /** Queries when the server became the primary. Never fails. */
  private async learn({ server, session }: Opened): Promise<void> {
    const pending = askOne(session, generations[this.system.kind]);
    const row = await beforeDeadline(pending, performance.now() + patience, late).catch(nothing);
    const found = row?.['generation'];
    server.generation = typeof found === 'string' ? generationOf(found) : undefined;
  }

  /** Whether the most recently used server became the primary after this one, and is now unreachable. */
  private isReplaced(server: Server): boolean {
    const { last } = this;
    // A cluster that is bootstrapped again restarts its view count.
    const isLasting = last?.generation?.has(ofCluster) === false;
    return this.hasOnePrimary && last !== server && isLasting && isNewer(last.generation, server.generation);
  }

  /**
   * Whether the datasource has moved to another server while this connection was being opened: a former primary that was frozen
   * responds late, and still considers itself the primary.
   */
  private isLate(server: Server, before: Server | undefined): boolean {
    const { last } = this;
    const hasMoved = last !== undefined && last !== before && last !== server;
    return hasMoved && last.failedAt === undefined && !this.hosts.shuffled;
  }

  knexSettings(): KnexSettings {
    const common = this.first.driver.knexSettings();
    const settings = new Map<Place | undefined, KnexSettings>(
      this.servers.map((server) => [server, server.driver.knexSettings()]),
    );
    return {
      ...common,
      // When operations have moved to another server, Knex calls this function again and replaces its connections.
      found: async () => {
        const since = performance.now();
        const session = await this.connect(false);
        discard(session);
        const { place } = session;
        const isExpired = () => this.last !== place || place?.trusts(since) === false;
        return { ...(settings.get(place) ?? common).connection, expirationChecker: isExpired };
      },
      prepare: (connection) => (settings.get(this.last) ?? common).prepare(connection),
    };
  }

  private get asksForPrimary(): boolean {
    return this.hosts.target.toLowerCase().endsWith('primary');
  }

  private get hasOnePrimary(): boolean {
    return this.asksForPrimary && !this.hosts.shuffled;
  }

  /** The servers to try. Shared connections use the same server as the others. */
  private candidates(isShared: boolean): readonly Server[] {
    const { last } = this;
    const isGiven = isShared && !this.hosts.shuffled && last?.failedAt === undefined;
    return isGiven && last !== undefined ? [last] : this.inOrder();
  }

  /** The server of the most recent connection, then the others in configured order, with failed servers last. */
  private inOrder(): readonly Server[] {
    const { last, servers } = this;
    const all = this.hosts.shuffled
      ? shuffled(servers)
      : [...servers].sort((one, other) => Number(other === last) - Number(one === last));
    const now = performance.now();
    for (const server of all) {
      if (server.failedAt === undefined || now - server.failedAt < recheckPause) continue;
      server.failedAt = now;
      if (server !== last) void this.recheck(server);
    }
    const failed = ({ failedAt }: Server) => Number(failedAt !== undefined);
    return all.sort((one, other) => failed(one) - failed(other));
  }

  /** Checks the server in the background, so that statements do not wait for a server that may not respond. Never fails. */
  private async recheck(server: Server): Promise<void> {
    try {
      const opened = await this.open(server, false);
      discard(opened.suits ? await this.compare(opened) : opened.session);
    } catch {
      // The server is tried again later.
    }
  }

  /** Checks whether the server has replaced the current primary. Returns an unused connection. Throws the errors of `use`. */
  private async compare(opened: Opened): Promise<DriverConnection> {
    const { last } = this;
    const isRival = this.hasOnePrimary && last !== undefined && last.failedAt === undefined;
    const used = isRival ? await this.rival(last, false) : undefined;
    await Promise.all([opened, ...(used === undefined ? [] : [used])].map((one) => this.learn(one)));
    discard(used?.session);
    const isOpenedNewer = used !== undefined && isNewer(opened.server.generation, used.server.generation);
    if (isOpenedNewer) return this.use(opened, false, last);
    opened.server.isThere();
    return opened.session;
  }

  private async open(server: Server, isShared: boolean): Promise<Opened> {
    const since = performance.now();
    const session = await server.connect(isShared);
    try {
      const until = performance.now() + server.settings.connectTimeout;
      const suits = await beforeDeadline(this.suits(session, isShared), until, late);
      return { server, session, suits, since };
    } catch (error) {
      session.socket.destroy();
      throw error;
    }
  }

  /**
   * Whether the server is of the requested kind. Throws the errors of the driver, and a DatabaseFailure if the server rejects all
   * statements.
   */
  private async suits(session: DriverConnection, isShared: boolean): Promise<boolean> {
    if (this.system.kind === 'mysql' && (await this.isOutside(session)))
      throw new DatabaseFailure({ kind: 'unavailable', code: outOfCluster, reason: outside });
    return this.hosts.target === 'any' || (await this.isReadOnly(session, isShared)) !== this.asksForPrimary;
  }

  /** Whether a node has left its Galera cluster. Such nodes still accept connections. Throws the errors of the driver. */
  private async isOutside(session: DriverConnection): Promise<boolean> {
    try {
      return (await askOne(session, membership))?.['is_outside'] === 1;
    } catch (error) {
      const { failure } = asFailure(error, () => this.failureOf(error, membership));
      if (isWithoutConnection(failure)) throw error;
      // MySQL has neither the variable nor the table.
      return false;
    }
  }

  /** Whether the server is read-only. Throws the errors of the driver. */
  private async isReadOnly(session: DriverConnection, isShared: boolean): Promise<boolean> {
    const value = (await askOne(session, questions[this.system.kind](isShared)))?.['read_only'];
    return value === true || value === 1;
  }

  private refusalOf(error: unknown, server: Server): Refusal {
    const { reason = '', code, aftermath } = asFailure(error, () => this.failureOf(error, undefined)).failure;
    const known = reason === 'no connection' && code === undefined ? 'no response while connecting' : reason;
    return { server, reason: code === undefined ? known : `${known} (${code})`, code, aftermath };
  }

  /**
   * Uses the connection, or connects again if its server was abandoned in the meantime, or if the datasource has moved from `before` to
   * another server. Throws a DatabaseFailure, for example if another server has become the primary.
   */
  private async use(opened: Opened, isShared: boolean, before?: Server): Promise<DriverConnection> {
    const { server, session, suits, since } = opened;
    if (!server.trusts(since) || this.isLate(server, before)) {
      discard(session);
      return this.connect(isShared);
    }
    if (suits && this.isReplaced(server)) {
      discard(session);
      const reason = 'another server has replaced it as the primary';
      throw new DatabaseFailure({ kind: 'unavailable', reason });
    }
    const { last } = this;
    server.isThere();
    this.last = server;
    if (server === (last ?? this.first) || this.hosts.shuffled) return session;
    this.warn(
      `Connections go to ${server.name} now${last === undefined ? '' : `, and no longer to ${last.name}`}.`,
    );
    // A second primary is impossible, so the former one is abandoned.
    if (this.asksForPrimary && suits) last?.isReplaced();
    return session;
  }
}

/** A connection to a server, and whether that server is of the requested kind. */
interface Opened {
  readonly server: Server;
  readonly session: DriverConnection;
  readonly suits: boolean;
  /** The time at which the connection attempt began. */
  readonly since: number;
}

interface Refusal {
  readonly server: Server;
  readonly reason: string;
  readonly code?: string | number | undefined;
  readonly aftermath?: Aftermath | undefined;
}

function refusedByAll(refusals: readonly Refusal[]): DatabaseFailure {
  const aftermath = (['full', 'ended'] as const).find((one) => refusals.some((all) => all.aftermath === one));
  return new DatabaseFailure({
    kind: 'unavailable',
    reason: refusals.map(({ server, reason }) => `${server.name}: ${reason}`).join('; '),
    ...(aftermath === undefined ? {} : { aftermath }),
  });
}

const question = { values: [], use: 'read', changes: false, atomic: true } as const;

/** Queries whether a server is read-only. Shared connections are read-only on any server. */
const questions = {
  postgresql: (isShared: boolean) =>
    `SELECT pg_catalog.pg_is_in_recovery()${isShared ? '' : " OR current_setting('transaction_read_only')::boolean"} AS read_only`,
  mysql: () => 'SELECT @@GLOBAL.read_only OR @@GLOBAL.innodb_read_only AS read_only',
} as const;

/** Only Galera nodes have `wsrep_on`; MariaDB has the status on every server. */
const membership =
  "SELECT @@GLOBAL.wsrep_on = 1 AND VARIABLE_VALUE <> 'ON' AS is_outside FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'WSREP_READY'";

/** Counters that increase when a server becomes the primary; missing counters are 0. */
type Generation = ReadonlyMap<string, number>;

const ofCluster = 'view';

/**
 * Queries when a server became the primary, as names with counters, `0-1-98,1-2-7`: the timeline of PostgreSQL, which each promotion
 * changes; the view of a Galera cluster; or, on MariaDB, the position at which it stopped being a replica. NULL for a writable replica,
 * because its position keeps growing.
 */
const generations = {
  postgresql:
    "SELECT 'timeline-' || ('x' || pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 1, 8))::bit(32)::bigint AS generation",
  mysql: `SELECT CASE WHEN view BETWEEN 1 AND 4294967295 THEN CONCAT('${ofCluster}-', view)
  WHEN running = 0 THEN @@GLOBAL.gtid_slave_pos END AS generation
FROM (
  SELECT MAX(IF(VARIABLE_NAME = 'WSREP_CLUSTER_CONF_ID', CAST(VARIABLE_VALUE AS UNSIGNED), 0)) AS view,
    MAX(IF(VARIABLE_NAME = 'SLAVES_RUNNING', CAST(VARIABLE_VALUE AS UNSIGNED), 0)) AS running
  FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME IN ('WSREP_CLUSTER_CONF_ID', 'SLAVES_RUNNING')
) AS status`,
} as const;

function generationOf(text: string): Generation {
  const parts = text.split(',').filter((part) => part !== '');
  return new Map(
    parts.map((part) => [part.split('-', 1).join(), Number(part.slice(part.lastIndexOf('-') + 1))]),
  );
}

/** Whether `one` became the primary later than `other`; false if unknown. */
function isNewer(one: Generation | undefined, other: Generation | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const differences = [...one.keys(), ...other.keys()].map(
    (name) => (one.get(name) ?? 0) - (other.get(name) ?? 0),
  );
  return differences.some((more) => more > 0) && differences.every((more) => more >= 0);
}

/** The first row of a query. Throws the errors of the driver. */
function askOne(session: DriverConnection, text: string): Promise<Row | undefined> {
  const query: Query = { ...question, text };
  return new Promise((resolve, reject) => {
    session.start(query, (error, rows) => {
      if (rows !== undefined) resolve(rows[0]);
      else reject(asError(error));
    });
  });
}

function shuffled(servers: readonly Server[]): Server[] {
  return servers
    .map((server) => ({ server, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ server }) => server);
}

/** Closes an unused connection. */
function discard(session: DriverConnection | undefined): void {
  if (session === undefined) return;
  void settledBefore(session.end(), performance.now() + endTime).then(() => {
    session.socket.destroy();
  });
}

function nothing(): undefined {
  // The caller that awaits the promise handles the failure.
}

function late(): DatabaseFailure {
  return new DatabaseFailure({ kind: 'unavailable', reason: 'no response while connecting' });
}
