/** A configuration that calls a third party: its datasource from its description, and example operations with tests. */
import { joined, type Written } from '../../../notation/written.js';
import { upperSnake } from '../../../../runtime/server/environment-reference.js';
import { yaml } from '../../../notation/yaml-writer.js';
import {
  exampleOfResponse,
  logInOf,
  serverUrl,
  type LogIn,
} from '../../../read/openapi/third-party/outline.js';
import type { ThirdParty } from '../../../read/openapi/third-party/third-party.js';
import { exampleValue } from '../example-value.js';
import { isToken, template } from '../../../notation/template-writer.js';
import type { Meant } from '../as-meant.js';
import { operationEntry } from '../operation-entry.js';
import type { Words } from '../words.js';
import { thirdPartyOperations, type ThirdPartyOperation } from './third-party-operations.js';

export interface ThirdPartyService {
  /** Whether the login of the description is included, if there is one. */
  readonly hasLogIn: boolean;
  readonly operations: readonly ThirdPartyOperation[];
  /** The text of the configuration with some of the operations. */
  config(operations: readonly ThirdPartyOperation[]): Written<'yaml'>;
  /** The intended value of that text. */
  meant(operations: readonly ThirdPartyOperation[]): Meant;
  /** The text of the tests; `isMadeUp`: responses are generated instead of taken from the description's examples. */
  tests(
    operations: readonly ThirdPartyOperation[],
    isMadeUp: ReadonlySet<ThirdPartyOperation>,
  ): Written<'yaml'>;
}

export interface ThirdPartyServiceOptions {
  /** Name of the datasource. */
  readonly datasource: string;
  /** The path of the description, as written in the datasource. */
  readonly description: string;
  /** Words in syntax A. */
  readonly words: Words;
  /** Whether the datasource includes the login of the description. */
  readonly hasLogIn: boolean;
}

export function thirdPartyService(
  thirdParty: ThirdParty,
  { datasource, description, words, hasLogIn }: ThirdPartyServiceOptions,
): ThirdPartyService {
  const prefix = upperSnake(datasource);
  const server = serverUrl(thirdParty.written);
  const described = logInOf(thirdParty.written);
  const isPossible = described?.kind !== 'header' || isToken(described.name);
  const logIn = hasLogIn && isPossible ? described : undefined;
  const key =
    logIn?.kind === 'query' ? `?${template.urlPart(logIn.name)}=${words.reference(`${prefix}_API_KEY`)}` : '';
  const entry = {
    type: 'rest',
    url: `${server ?? words.reference(`${prefix}_URL`)}${key}`,
    description,
    ...credentials(logIn, (name) => words.reference(`${prefix}_${name}`)),
  };
  const basePath = server === undefined ? '' : new URL(server).pathname.replace(/(?<!\/)\/+$/, '');
  const datasources = (isUnread: boolean): Written<'yaml'> => {
    const comment = {
      path: ['datasources', datasource],
      text: 'apikiln-disable-next-line unread-datasource -- not used yet',
    };
    const text = yaml.lines({ datasources: { [datasource]: entry } }, isUnread ? [comment] : []);
    return isUnread ? yaml`\n${text}` : text;
  };
  return {
    hasLogIn: logIn === described,
    operations: thirdPartyOperations(thirdParty, { datasource, words, prefix }),
    config: (operations) =>
      joined(
        [
          yaml`# ${yaml.comment(`Calls ${datasource} by its description: requests and results are compared with ${description}.`)}\n`,
          yaml`specification: "1.0"\n\n`,
          operations.length === 0 ? yaml`operations: {}\n` : yaml`operations:\n`,
          ...operations.map(({ name, operation }) => yaml`${operationEntry(name, operation)}\n\n`),
          datasources(operations.length === 0),
        ],
        '',
      ),
    meant: (operations) => ({
      config: {
        specification: '1.0',
        operations: Object.fromEntries(operations.map(({ name, operation }) => [name, operation])),
        datasources: { [datasource]: entry },
      },
      words,
    }),
    tests: (operations, isMadeUp) =>
      yaml`# Run them with: apikiln test\n${yaml.lines({
        tests: operations.map((one) =>
          testOf(one, { thirdParty, datasource, basePath, isMadeUp: isMadeUp.has(one) }),
        ),
      })}`,
  };
}

function credentials(logIn: LogIn | undefined, variable: (name: string) => string): object {
  switch (logIn?.kind) {
    case 'oauth2': {
      const { tokenUrl } = logIn;
      const client = { clientId: variable('CLIENT_ID'), clientSecret: variable('CLIENT_SECRET') };
      return { oauth2: { tokenUrl, ...client } };
    }
    case 'basic':
      return { user: variable('USER'), password: variable('PASSWORD') };
    case 'bearer':
      return { header: [`Authorization: Bearer ${variable('TOKEN')}`] };
    case 'header':
      return { header: [`${logIn.name}: ${variable('API_KEY')}`] };
    default:
      return {};
  }
}

/** Longer examples would bury the test. */
const longestExample = 4000;

function testOf(
  { name, endpoint, status, json, sends }: ThirdPartyOperation,
  {
    thirdParty,
    datasource,
    basePath,
    isMadeUp,
  }: {
    readonly thirdParty: ThirdParty;
    readonly datasource: string;
    readonly basePath: string;
    readonly isMadeUp: boolean;
  },
): object {
  const [method = ''] = name.split(' ');
  const example = isMadeUp ? undefined : exampleOfResponse(thirdParty.written, endpoint, status);
  const isShort = example !== undefined && JSON.stringify(example).length <= longestExample;
  const body = json === undefined ? undefined : isShort ? example : exampleValue(json);
  const isPlain = body !== undefined && !/"(?:[/<\\]|:\[)|:\[/.test(JSON.stringify(body));
  return {
    name,
    request: `${method} ${sends.own}`,
    ...(sends.body === undefined ? {} : { body: sends.body }),
    datasources: {
      [datasource]: [
        {
          request: `${method} ${basePath}${sends.path}`,
          response: { statuscode: Number(status), ...(isPlain ? { body } : {}) },
        },
      ],
    },
    response: { statuscode: json === undefined ? 204 : Number(status), ...(isPlain ? { body } : {}) },
  };
}
