/** A configuration for the endpoints of an API description: SQL on tables for endpoints about rows, or else placeholders. */
import { sql } from '../../notation/sql-writer.js';
import { yaml, type YamlComment } from '../../notation/yaml-writer.js';
import { indented, type Written } from '../../notation/written.js';
import { isBasePath } from '../../read/config/read-response.js';
import type { ApiDescription, ApiEndpoint } from '../../read/openapi/api-model.js';
import { encodedPath } from '../../read/openapi/match.js';
import { basePathsOf } from '../../read/openapi/third-party/third-party.js';
import type { Dialect } from '../../read/sql/dialect.js';
import { createTables } from './described/create-tables.js';
import { describedOperation } from './described/described-operation.js';
import { placeholder } from './described/described-placeholder.js';
import type { OperationStyle } from './described/described-steps.js';
import { describedTests, type WrittenEndpoint } from './described/described-tests.js';
import { describedTables, type DescribedTables } from './described/described-tables.js';
import type { Words } from './words.js';
import type { Meant } from './as-meant.js';
import { operationEntry } from './operation-entry.js';

export interface FromDescriptionOptions {
  readonly words: Words;
  readonly dialect: Dialect;
}

/** How an endpoint is handled after its written operation was checked. */
export interface Remedy {
  /** Write a placeholder. */
  readonly isPlaceholder?: true;
  /** Only write a comment with this reason. */
  readonly leftOut?: string;
  /** Codes reported at the operation's name that the user who completes the operation should handle. */
  readonly disabled?: readonly string[];
}

export interface WrittenConfiguration {
  readonly config: Written<'yaml'>;
  /** The intended value of the text. */
  readonly meant: Meant;
  readonly schema: Written<'sql'>;
  /** Undefined if no operation is simple enough for a test. */
  readonly tests: Written<'yaml'> | undefined;
  /** First and last line of each operation, by name, starting at 1. */
  readonly lines: ReadonlyMap<string, { readonly first: number; readonly last: number }>;
  readonly placeholders: number;
}

export class DescriptionWriter {
  readonly #tables: DescribedTables;
  readonly #style: OperationStyle;
  /** The base path shared by all servers in the description; empty if there is none. */
  readonly #basePath: string;

  constructor(
    private readonly description: ApiDescription,
    private readonly options: FromDescriptionOptions,
  ) {
    this.#tables = describedTables(description.endpoints, options.dialect);
    this.#style = { ...options, datasource: 'database' };
    const [path = '', ...others] = basePathsOf(description.written.root);
    this.#basePath = others.length === 0 && isBasePath(path) ? path : '';
  }

  /** `remedies` are keyed by operation name. */
  write(remedies: ReadonlyMap<string, Remedy>): WrittenConfiguration {
    const lines = new Map<string, { first: number; last: number }>();
    const written: WrittenEndpoint[] = [];
    let text = yaml`${this.#head()}specification: "1.0"\n\noperations:\n`;
    for (const target of this.#tables.targets) {
      const name = operationName(target.endpoint);
      const remedy = remedies.get(name) ?? {};
      if (lines.has(name)) continue;
      if (remedy.leftOut !== undefined) {
        text = yaml`${text}  # ${yaml.comment(`${name} is left out: ${remedy.leftOut}`)}\n\n`;
        continue;
      }
      const made =
        remedy.isPlaceholder === true
          ? placeholder(target.endpoint, this.#style)
          : describedOperation(target, this.#style);
      written.push({ target, made });
      const comments = [...made.comments];
      const { disabled = [] } = remedy;
      const unread = disabled.filter((code) => code !== noSuccess);
      if (unread.length > 0) comments.push(`apikiln-disable-next-line ${unread.join(', ')} -- not used yet`);
      for (const comment of comments) text = yaml`${text}  # ${yaml.comment(comment)}\n`;
      const first = text.split('\n').length;
      const own = operationEntry(
        name,
        made.operation,
        disabled.includes(noSuccess) ? [withoutSuccess(made.isPlaceholder)] : [],
      );
      text = yaml`${text}${own}\n\n`;
      lines.set(name, { first, last: text.split('\n').length - 2 });
    }
    const datasources = this.#datasources();
    text = yaml`${text}${this.#end(datasources)}`;
    const { tables } = this.#tables;
    const noTables = sql`-- The description has no rows: write the tables here.\n`;
    return {
      config: text,
      meant: {
        config: {
          specification: '1.0',
          operations: Object.fromEntries(
            [...lines.keys()].map((name, index) => [name, written[index]?.made.operation]),
          ),
          datasources,
          settings: {
            debug: true,
            ...(this.#basePath === '' ? {} : { basePath: this.#basePath }),
          },
        },
        words: this.options.words,
      },
      schema: tables.length > 0 ? createTables(tables, this.options.dialect) : noTables,
      tests: describedTests(written, this.#basePath),
      lines,
      placeholders: written.filter(({ made }) => made.isPlaceholder).length,
    };
  }

  #head(): Written<'yaml'> {
    const { credentials = [] } = this.description;
    return credentials.length === 0
      ? yaml``
      : yaml`# The description has security schemes. Operations are open until \`authentications\` are configured: see apikiln help authentication.\n`;
  }

  #datasources(): Readonly<Record<string, Readonly<Record<string, string>>>> {
    const { dialect, words } = this.options;
    const [scheme, port] = dialect === 'postgresql' ? ['postgresql', '5432'] : ['mariadb', '3306'];
    const address = `${words.reference('DB_HOST', 'localhost')}:${words.reference('DB_PORT', port)}`;
    return {
      [this.#style.datasource]: {
        type: 'db',
        url: `jdbc:${scheme}://${address}/${words.reference('DB_NAME', 'app')}`,
        user: words.reference('DB_USER', 'app'),
        password: words.reference('DB_PASSWORD', 'app'),
      },
    };
  }

  #end(datasources: object): Written<'yaml'> {
    const local =
      this.options.dialect === 'postgresql'
        ? yaml`# \`dev\` and \`test\` need no server: they run schema.sql in an embedded PostgreSQL.\n  `
        : yaml`# \`dev\` and \`test\` need a server with the tables of schema.sql: --database mariadb://user:password@localhost/app\n  `;
    return yaml`datasources:\n  ${local}# A deployed service connects to this URL; the environment sets the variables.
${indented(yaml.lines(datasources), 2)}
settings:
  # The test page at /docs-ui. Set it to false for a service that everybody can reach.
  debug: true
${this.#basePath === '' ? yaml`` : yaml`  # The path of the servers of the description.\n${indented(yaml.lines({ basePath: this.#basePath }), 2)}`}`;
  }
}

const noSuccess = 'undescribed-status';

/** A placeholder does not succeed; without a success in the description, the status is a guess. */
function withoutSuccess(isPlaceholder: boolean): YamlComment {
  const reason = isPlaceholder ? 'until it is written' : 'the description has no success';
  return {
    path: ['responses', 0, 'statuscode'],
    text: `apikiln-disable-next-line ${noSuccess} -- ${reason}`,
  };
}

export function operationName({ method, path }: ApiEndpoint): string {
  return `${method} ${encodedPath(path)}`;
}
