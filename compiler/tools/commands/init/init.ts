/** `apikiln init`: writes the files of a new service, without ever overwriting an existing file. */
import { environment } from '../../../notation/environment-writer.js';
import { joined, type Written } from '../../../notation/written.js';
import { screen } from '../../../notation/screen-writer.js';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readAssets } from '../../../generate/assets.js';
import type { InitFile } from '../../init/init-file.js';
import {
  loginFiles,
  starterFiles,
  type LoginSessions,
  type StarterDatabase,
  type StarterSyntax,
} from '../../init/starter.js';
import { CommandError, exitStatus } from '../shared/output/exit-status.js';
import { quotedForShell } from '../shared/output/shell-word.js';
import { packageFolder } from '../shared/files/package-folder.js';
import { reason } from '../shared/files/read-text.js';
import type { Terminal } from '../shared/output/terminal.js';

export interface InitOptions {
  readonly syntax: StarterSyntax;
  /** MySQL and MariaDB select the same files. */
  readonly database: StarterDatabase | 'mariadb';
  /** The service to write instead of the task list. */
  readonly with?: 'login';
  /** With `with: login`. */
  readonly sessions?: LoginSessions;
  /** URL of a server for whose tables operations are written. */
  readonly fromDatabase?: string;
  /** Whether operations do not require a key. */
  readonly open?: boolean;
  /** Only these tables of the server, or all tables except these. */
  readonly tables?: readonly string[];
  readonly except?: readonly string[];
  /** Path of an API description for whose endpoints operations are written. */
  readonly fromOpenapi?: string;
  /** Name of the datasource, if the description belongs to a third party. */
  readonly as?: string;
}

/** `folder` is the target, by default the current folder; it is created if missing. */
export async function init(
  folder: string | undefined,
  options: InitOptions,
  terminal: Terminal,
): Promise<number> {
  const { files, note } = await filesOf(options, terminal);
  const target = resolve(terminal.folder, folder ?? '.');
  if (existsSync(target) && !statSync(target).isDirectory())
    throw new CommandError(exitStatus.environment, `${folder ?? '.'} is a file, not a folder.`);
  writeNewFiles(files, target, terminal);
  if (note !== undefined) terminal.log(screen.lines(note));
  const hasTests = files.some(({ path }) => path === 'config.test.yaml');
  const needsServer = options.fromDatabase === undefined && options.database !== 'postgresql';
  const isAtHand =
    options.as === undefined && (options.fromDatabase === undefined || isEmbedded(options.fromDatabase));
  const config = files.find(({ path }) => path === 'config.yaml')?.text ?? '';
  const isClosed = options.fromDatabase !== undefined && options.open !== true;
  const lines = files.find(({ path }) => path === '.env')?.text.split('\n') ?? [];
  const variables = referencesWithoutDefault(config).filter(
    (name) => !lines.some((line) => line.startsWith(`${name}=`)),
  );
  terminal.log(screen.lines(nextSteps(folder, { hasTests, needsServer, isAtHand, variables, isClosed })));
  return exitStatus.fine;
}

async function filesOf(
  {
    syntax,
    database: kind,
    fromDatabase,
    fromOpenapi,
    as: datasource,
    open: isOpen = false,
    tables,
    except,
    with: feature,
    sessions,
  }: InitOptions,
  terminal: Terminal,
): Promise<{ readonly files: readonly InitFile[]; readonly note?: string }> {
  const database = kind === 'mariadb' ? 'mysql' : kind;
  if (fromDatabase !== undefined) {
    terminal.stage?.('Reading the tables of the database');
    const { filesFromDatabase } = await import('./init-database.js');
    const { files, note } = await filesFromDatabase(fromDatabase, {
      syntax,
      isOpen,
      choice: { tables, except },
    });
    const gitignore = readAssets(packageFolder()).template('starter/gitignore');
    return {
      files: [
        ...files,
        { path: '.gitignore', text: gitignore, mayExist: true },
        ...(isOpen ? [] : [environmentFile(environment``, [environment`API_KEY`])]),
      ],
      ...(note === undefined ? {} : { note }),
    };
  }
  if (isOpen) throw new CommandError(exitStatus.usage, '--open is only valid with --from-database <url>.');
  if (tables !== undefined || except !== undefined)
    throw new CommandError(exitStatus.usage, '--tables and --except name tables of --from-database <url>.');
  if (sessions !== undefined && feature === undefined)
    throw new CommandError(exitStatus.usage, '--sessions is for --with login.');
  if (datasource !== undefined) {
    if (fromOpenapi === undefined)
      throw new CommandError(exitStatus.usage, '--as names the datasource of --from-openapi <file>.');
    const { filesForThirdParty } = await import('./init-third-party.js');
    return filesForThirdParty(fromOpenapi, datasource, syntax, terminal);
  }
  if (fromOpenapi !== undefined) {
    const { filesFromDescription } = await import('./init-description.js');
    return filesFromDescription(fromOpenapi, syntax, database, terminal);
  }
  const assets = readAssets(packageFolder());
  const template = (name: string): ReturnType<typeof assets.template> => assets.template(name);
  const files =
    feature === 'login'
      ? loginFiles({ syntax, database, sessions: sessions ?? 'cookie' }, template)
      : starterFiles(syntax, database, template);
  const { refuseUnreadable } = await import('./refuse-other.js');
  for (const { path, text } of files) if (path === 'config.yaml') refuseUnreadable(text);
  if (feature === undefined) return { files };
  const secrets =
    sessions === 'tokens' ? [environment`OUTBOX_KEY`, environment`TOKEN_KEY`] : [environment`OUTBOX_KEY`];
  return { files: [...files, environmentFile(environment`APP_URL=http://localhost:8080\n`, secrets)] };
}

/** `.env` with these lines, and a random secret for each variable. */
function environmentFile(
  lines: Written<'environment'>,
  variables: readonly Written<'environment'>[],
): InitFile {
  const secrets = variables.map((variable) => {
    const secret = randomBytes(32).toString('base64url');
    return environment`${variable}=${environment.value(secret)}\n`;
  });
  return {
    path: '.env',
    text: joined([lines, ...secrets], ''),
    mayExist: true,
    isSecret: true,
  };
}

/** Writes all files, or none if any of them exists. */
export function writeNewFiles(files: readonly InitFile[], target: string, terminal: Terminal): void {
  const existing = files.filter(({ path }) => existsSync(join(target, path)));
  const inTheWay = existing.filter(({ mayExist }) => mayExist !== true).map(({ path }) => path);
  if (inTheWay.length > 0) {
    throw new CommandError(
      exitStatus.errors,
      `Nothing was written, because ${inTheWay.join(', ')} ${inTheWay.length === 1 ? 'already exists' : 'already exist'}. Choose another folder: apikiln init <dir>`,
    );
  }
  for (const file of files) {
    if (existing.includes(file)) terminal.log(screen`${screen.text(file.path)}: kept unchanged`);
    else writeNew(file, target, terminal);
  }
}

function writeNew({ path, text, isSecret }: InitFile, target: string, terminal: Terminal): void {
  try {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), text, { flag: 'wx', ...(isSecret === true && { mode: 0o600 }) });
  } catch (error) {
    throw new CommandError(exitStatus.environment, `${path} cannot be written: ${reason(error)}.`);
  }
  terminal.log(screen`${screen.text(path)}: written`);
}

const serverOption = '--database mariadb://user:password@localhost/<database>';

/** Whether `dev` can embed such a database, whatever its account. */
function isEmbedded(url: string): boolean {
  return !/^(?:jdbc:)?(?:mysql|mariadb):/i.test(url);
}

/** Names of references without a default: `${DB_PASSWORD}` → DB_PASSWORD */
function referencesWithoutDefault(config: string): string[] {
  return [...new Set([...config.matchAll(/\$\{([A-Z][A-Z0-9_]*)\}/g)].map(([, name = '']) => name))];
}

/** The path quoted for a shell. */
function inShell(path: string): string {
  return /^[\w./:\\@+-]+$/.test(path) ? path : quotedForShell(path);
}

/**
 * `needsServer`: the database cannot be embedded and no server is named; `isAtHand`: a database is embedded; `variables`: environment
 * variables required to reach the server; `isClosed`: operations require a key.
 */
function nextSteps(
  folder: string | undefined,
  {
    hasTests,
    needsServer,
    isAtHand,
    variables,
    isClosed,
  }: {
    readonly hasTests: boolean;
    readonly needsServer: boolean;
    readonly isAtHand: boolean;
    readonly variables: readonly string[];
    readonly isClosed: boolean;
  },
): string {
  const change = folder === undefined || folder === '.' ? [] : [`  cd ${inShell(folder)}`];
  return [
    '\nNext:',
    ...change,
    '  npx apikiln dev     run the service, and reload it after every change',
    ...(hasTests ? ['  npx apikiln test    run config.test.yaml'] : []),
    ...(needsServer
      ? [`\n${hasTests ? 'Both need' : 'It needs'} a MySQL or MariaDB server: ${serverOption}`]
      : []),
    ...(variables.length > 0
      ? [
          `\n${isAtHand ? 'They run with an embedded PostgreSQL. To reach the server, a service' : 'It'} needs ${variables.join(' and ')}, in the environment or in the file .env next to config.yaml.`,
        ]
      : []),
    ...(isClosed
      ? ['\nRequests need the header X-Api-Key with API_KEY of .env. --open writes operations for everybody.']
      : []),
  ].join('\n');
}
