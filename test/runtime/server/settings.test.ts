/** Settings from the environment and from .env. */
import fc from 'fast-check';
import { TrustedProxies } from '../../../runtime/http/client-address.js';
import { describe, expect, test } from 'vitest';
import { readEnvFile, StartError } from '../../../runtime/server/environment.js';
import { readSettings, type SettingsSource } from '../../../runtime/server/settings.js';
import { upperSnake } from '../../../runtime/server/environment-reference.js';
import { runs } from '../../helpers/runs.js';

describe('the .env file', () => {
  test.each<[string, unknown]>([
    ['A=b', ['b']],
    ['A=', []],
    ['  A = b c  ', ['b c']],
    ['export A=b', ['b']],
    ['A=b # comment', ['b']],
    ['A=b#c', ['b#c']],
    ['A= # comment', []],
    ['A=jdbc:mysql://db:3306/news?ssl=true&x=%20', ['jdbc:mysql://db:3306/news?ssl=true&x=%20']],
    ['A=C:\\temp\\new', ['C:\\temp\\new']],
    ["A='a $ ${B} \" \\n' # x", ['a $ ${B} " \\n']],
    ['A="a\\nb\\t\\"\\\\\\u0041" # x', ['a\nb\t"\\A']],
    ['A="\\${B}"', ['${B}']],
    ['A="\\\\${B}"', ['\\', { name: 'B', fallback: undefined }]],
    ['A=${B}', [{ name: 'B', fallback: undefined }]],
    ['A=x${B:y z}${C:}', ['x', { name: 'B', fallback: 'y z' }, { name: 'C', fallback: '' }]],
    ['A="${B:q\\"\\$}"', [{ name: 'B', fallback: 'q"$' }]],
    ['A=$B ${1} ${} $', ['$B ${1} ${} $']],
  ])('%s', (line, value) => {
    const file = readEnvFile(`# first\n\n${line}\r\n`);
    expect(file.problems).toEqual([]);
    expect(file.values.get('A')).toEqual(value);
  });

  test.each(['A', '=b', 'A="b', "A='b", 'A="b" c', '1A=b', 'secret words'])(
    '%s is reported by its line, without its text',
    (line) => {
      const { problems } = readEnvFile(`X=1\n${line}\n`);
      expect(problems).toHaveLength(1);
      expect(problems[0]).toMatch(/^\.env, line 2: /);
      expect(problems[0]).not.toContain('secret');
    },
  );

  test('any text survives being written by the rules and read again', () => {
    const character = fc.oneof(
      fc.constantFrom('"', "'", '\\', '$', '${A}', '#', '\n', '\r', '\u2028', '\ud800', '\0', ' '),
      fc.string({ unit: 'binary', maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(character, { maxLength: 10 }), (parts) => {
        const text = parts.join('');
        const source = `B=1\nA=${written(text)}\nC=1\n`;
        const file = readEnvFile(Buffer.from(source, 'utf8').toString('utf8'));
        expect(file.problems).toEqual([]);
        expect(file.values.get('A')).toEqual(text === '' ? [] : [text]);
      }),
      { numRuns: runs(313, 5000) },
    );
  });

  test('arbitrary text never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(readEnvFile(text).values).toBeInstanceOf(Map);
      }),
    );
  });
});

/** Escapes a value as documented at `readEnvFile`. */
function written(text: string): string {
  if (/^[\w./:@%+,=?&~-]*$/.test(text)) return text;
  const escaped = text.replaceAll(/[\\"$]|[\p{Cc}\p{Cs}\u2028\u2029\ufeff]/gu, (character) =>
    '\\"$'.includes(character)
      ? `\\${character}`
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${escaped}"`;
}

describe('settings', () => {
  test('defaults', () => {
    expect(readSettings({ variables: {} })).toEqual({
      clientBits: 64,
      port: 8080,
      host: undefined,
      logLevel: 'info',
      requestTimeout: 30_000,
      bodyLimit: 1_048_576,
      bodyDepth: 64,
      fileLimit: 10_485_760,
      partLimit: 20,
      uploadMemory: 268_435_456,
      headerLimit: 16_384,
      shutdownDelay: 0,
      shutdownTimeout: 10_000,
      loopLimit: 100_000,
      listMemory: 67_108_864,
      sendTimeout: 30_000,
      schedule: true,
      scheduleLedger: undefined,
      scheduleTimeout: 0,
      managementPort: undefined,
      managementHost: undefined,
      logFormat: 'auto',
      logRequests: 'off',
      corsOrigins: [],
      compression: false,
      trustedProxies: new TrustedProxies(),
      workers: 1,
      licence: undefined,
      datasources: new Map(),
      names: { isSet: expect.any(Function) as unknown, unread: [], missing: [] },
      secrets: [],
    });
  });

  test('SCHEDULE is on or off, in any letter case; a ledger and limits', () => {
    const read = (variables: Record<string, string>) => readSettings({ variables });
    expect(read({ SCHEDULE: 'Off' }).schedule).toBe(false);
    expect(read({ SCHEDULE: ' on ' }).schedule).toBe(true);
    expect(() => read({ SCHEDULE: 'no' })).toThrow('SCHEDULE must be one of on, off, not "no"');
    expect(read({ SCHEDULE_LEDGER: '' }).scheduleLedger).toBeUndefined();
    expect(read({ SCHEDULE_LEDGER: 'newsdb', SCHEDULE_TIMEOUT: '5000', LOOP_LIMIT: '7' })).toMatchObject({
      scheduleLedger: 'newsdb',
      scheduleTimeout: 5000,
      loopLimit: 7,
    });
    expect(() => read({ LOOP_LIMIT: '-1', SCHEDULE_TIMEOUT: '1e3' })).toThrow(
      /LOOP_LIMIT.*\n?.*SCHEDULE_TIMEOUT/,
    );
  });

  test('real variables win over .env and are taken literally; an empty one is the default of a number', () => {
    const source = {
      variables: { PORT: '1', LOG_LEVEL: 'DEBUG', LICENCE: '${X}', HOST: '' },
      envFile: 'PORT=2\nBODY_LIMIT=5\nLICENCE=x\n',
    };
    expect(readSettings(source)).toMatchObject({
      port: 1,
      logLevel: 'debug',
      bodyLimit: 5,
      licence: '${X}',
      host: undefined,
    });
    expect(readSettings({ variables: { PORT: ' ' } })).toMatchObject({ port: 8080 });
  });

  test('datasources by the upper snake case of their name', () => {
    const variables = {
      DATASOURCE_NEWS_DB_URL: 'jdbc:x',
      DATASOURCE_NEWS_DB_PASSWORD: '',
      DATASOURCE_NEWS_DB_POOL_MAX: '3',
    };
    const { datasources, secrets } = readSettings({ variables, datasources: [{ name: 'newsDb' }] });
    expect(datasources.get('newsDb')).toEqual({
      url: 'jdbc:x',
      password: '',
      poolMax: 3,
      poolWait: 2000,
      rowLimit: 100_000,
      resultLimit: 67_108_864,
      responseLimit: 10_485_760,
    });
    expect(secrets).toEqual(['jdbc:x', '']);
  });

  test('references are resolved from the environment, then from .env, then by their default', () => {
    const envFile =
      'DATASOURCE_DB_URL="jdbc:${KIND:mysql}://${SERVER}/${NAME}"\nNAME=${OTHER:news}\nKIND=postgresql\nSERVER=x\n';
    const { datasources } = readSettings({
      variables: { SERVER: 'a${b}' },
      envFile,
      datasources: [{ name: 'db' }],
    });
    expect(datasources.get('db')?.url).toBe('jdbc:postgresql://a${b}/news');
  });

  test.each([
    ['the user', { USER: 'tasks-app', PASSWORD: 'tasks-app' }, 'tasks-app'],
    ['the database', { USER: 'me', PASSWORD: 'tasks' }, 'tasks'],
    ['the datasource', { USER: 'me', PASSWORD: 'newsDb' }, 'newsDb'],
    ['the kind of server', { USER: 'me', PASSWORD: 'postgres' }, 'postgres'],
  ])(
    'a password that is also the name of %s is hidden where it is a password, and nowhere else',
    (_, account, word) => {
      const url = 'jdbc:postgresql://db:5432/tasks?ssl=true';
      const variables = Object.fromEntries(
        Object.entries({ URL: url, ...account }).map(([name, value]) => [
          `DATASOURCE_NEWS_DB_${name}`,
          value,
        ]),
      );
      const { secrets } = readSettings({ variables, datasources: [{ name: 'newsDb' }] });
      expect(secrets).toEqual([url, `:${word}@`, `password=${word}`]);
    },
  );

  test('every problem is named in one message, and no value of a secret', () => {
    const source: SettingsSource = {
      variables: { PORT: 'abc', LOG_LEVEL: 'loud', REQUEST_TIMEOUT: '-1', DATASOURCE_A_PASSWORD: 'hush' },
      envFile:
        'DATASOURCE_B_URL=jdbc:hush${MISSING}\nDATASOURCE_C_URL="open\nDATASOURCE_D_URL=${DATASOURCE_D_URL}',
      datasources: ['a', 'b', 'c', 'd'].map((name) => ({ name })),
    };
    const problems = problemsOf(source);
    expect(problems).toEqual([
      '.env, line 2: the quotes do not match',
      'PORT must be a whole number from 0 to 65535, not "abc"',
      'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, not "loud"',
      'REQUEST_TIMEOUT must be a whole number from 1 to 3600000, not "-1"',
      'DATASOURCE_A_URL is not set: it is the field url of the datasource a',
      'The environment variable MISSING is not set; DATASOURCE_B_URL, the field url of the datasource b, refers to it',
      'DATASOURCE_C_URL is not set: it is the field url of the datasource c',
      'The environment variable DATASOURCE_D_URL is not set; DATASOURCE_D_URL, the field url of the datasource d, refers to it',
    ]);
  });
});

test('the same port twice names both settings, and the one that images set', () => {
  expect(problemsOf({ variables: { PORT: '8081', MANAGEMENT_PORT: '8081' } })).toEqual([
    'PORT and MANAGEMENT_PORT are both 8081: set one of them to another port (the Dockerfile of the service sets MANAGEMENT_PORT to 8081)',
  ]);
});

test.each([
  ['newsdb', 'NEWSDB'],
  ['newsDb', 'NEWS_DB'],
  ['news-db', 'NEWS_DB'],
  ['news.db 2', 'NEWS_DB_2'],
  ['HTTPServer2', 'HTTP_SERVER2'],
  ['db2Main', 'DB2_MAIN'],
  ['žurnál', 'ZURNAL'],
  ['新', 'U65B0'],
  ['news新db', 'NEWS_U65B0_DB'],
  ['__proto__', 'PROTO'],
])('upper snake case of %s is %s', (name, variable) => {
  expect(upperSnake(name)).toBe(variable);
});

function problemsOf(source: SettingsSource): readonly string[] {
  try {
    readSettings(source);
  } catch (error) {
    if (error instanceof StartError) return error.problems;
  }
  throw new Error('the settings were read');
}
