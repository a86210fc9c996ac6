/**
 * Each field that can hold a secret, with each output: the secret is only in `.env`, or a warning says that it is in the generated code.
 */
import { describe, expect, test } from 'vitest';
import { tokensInPaths } from '../../compiler/read/diagnostics/secrets/secret-words.js';
import { Workspace } from '../commands/workspace.js';

const secret = 'hunter2kqxz7hunter2kqxz7hunter2kqxz7';
/** Looks like a token even if the field's name does not say so. */
const token = 'x7Gq2ZbV9hT4kPw1Lr8DnS3m';

/** A configuration with a secret: `SECRET` in its parts is replaced. */
interface Case {
  readonly datasource?: string;
  readonly request?: string;
  readonly other?: string;
  /** `check` warns about the secret, which is in the generated code. */
  readonly warns?: 'secret-in-request' | 'secret-in-url';
  /** `audit` lists the secret. */
  readonly risk?: true;
  /** The secret is an error, so nothing is built. */
  readonly isRefused?: true;
}

const api = 'type: rest, url: "https://api.example"';
const plain = '{ url: /a, httpType: POST }';
const request = (fields: string): Case => ({ request: `{ url: /a, httpType: POST, ${fields} }` });

const cases: Readonly<Record<string, Case>> = {
  // Secrets in the environment.
  'password of a database': {
    other: 'db: { type: db, url: "jdbc:postgresql://h/d", password: SECRET }',
    risk: true,
  },
  'password in a JDBC URL': {
    other: 'db: { type: db, url: "jdbc:postgresql://h/d?user=a&password=SECRET" }',
    risk: true,
  },
  'account in a JDBC URL': { other: 'db: { type: db, url: "jdbc:postgresql://me:SECRET@h/d" }', risk: true },
  'password of a third party': { datasource: `${api}, user: a, password: SECRET`, risk: true },
  'account in the URL of a third party': {
    datasource: 'type: rest, url: "https://me:SECRET@api.example"',
    risk: true,
  },
  'option in the URL of a third party': {
    datasource: 'type: rest, url: "https://api.example?api_key=SECRET"',
    risk: true,
  },
  'header of a third party': { datasource: `${api}, header: ["Authorization: Bearer SECRET"]`, risk: true },
  'clientSecret of oauth2': {
    datasource: `${api}, oauth2: { tokenUrl: "https://t.example", clientId: a, clientSecret: SECRET }`,
    risk: true,
  },
  'parameter of oauth2': {
    datasource: `${api}, oauth2: { tokenUrl: "https://t.example", clientId: a, clientSecret: "\${A}", parameters: { client_secret: SECRET } }`,
    risk: true,
  },
  'account in the tokenUrl of oauth2': {
    datasource: `${api}, oauth2: { tokenUrl: "https://a:SECRET@t.example", clientId: a, clientSecret: "\${A}" }`,
    isRefused: true,
  },
  'option in the tokenUrl of oauth2': {
    datasource: `${api}, oauth2: { tokenUrl: "https://t.example?key=SECRET", clientId: a, clientSecret: "\${A}" }`,
    risk: true,
  },
  'signature of a third party': {
    datasource: `${api}, signature: { scheme: github, secret: SECRET }`,
    risk: true,
  },
  'password of an account': { other: 'AUTH { type: basicauth, user: a, password: SECRET }', risk: true },
  'key of tokens': { other: 'AUTH { type: jwt, issuer: a, audience: b, key: SECRET }', risk: true },
  'account in jwks': {
    other: 'AUTH { type: jwt, issuer: a, audience: b, jwks: "https://a:SECRET@k.example/keys" }',
    risk: true,
  },
  'option in jwks': {
    other: 'AUTH { type: jwt, issuer: a, audience: b, jwks: "https://k.example/keys?token=SECRET" }',
    risk: true,
  },
  'API key': { other: 'AUTH { type: apikey, header: X-Api-Key, keys: { acme: SECRET } }', risk: true },
  'secret of webhooks': { other: 'AUTH { type: signature, scheme: github, secrets: [SECRET] }', risk: true },
  licence: { other: 'SETTINGS { licence: SECRET }', risk: true },
  // Secrets in the generated code.
  'header of a request': {
    ...request('header: ["Authorization: Bearer SECRET"]'),
    warns: 'secret-in-request',
  },
  'header of a request, as an expression': {
    ...request('header: ["Authorization: Bearer :[TEXT(SECRET)]"]'),
    warns: 'secret-in-request',
  },
  'header of a request, in two parts': {
    ...request('header: ["X-Api-Key: :[CONCAT(TEXT(SECRET), TEXT(a))]"]'),
    warns: 'secret-in-request',
  },
  'token in the path of a URL': {
    datasource: `type: rest, url: "https://hooks.example/services/${token}"`,
    risk: true,
  },
  'token in the path of tokenUrl': {
    datasource: `${api}, oauth2: { tokenUrl: "https://a.example/${token}", clientId: a, clientSecret: "\${S}" }`,
    risk: true,
  },
  'token in the path of jwks': {
    other: `AUTH { type: jwt, issuer: a, audience: b, jwks: "https://k.example/${token}/keys" }`,
    risk: true,
  },
  'token in the path of a request': {
    request: `{ url: "/services/T0/${token}", httpType: POST }`,
    warns: 'secret-in-url',
  },
  'token in the path of a request, as an expression': {
    request: `{ url: "/services/:[TEXT(${token})]", httpType: POST }`,
    warns: 'secret-in-url',
  },
  'option in the URL of a request': {
    request: '{ url: "/a?api_key=SECRET", httpType: POST }',
    warns: 'secret-in-url',
  },
  'option in the URL of a request, as an expression': {
    request: '{ url: "/a?api_key=:[TEXT(SECRET)]", httpType: POST }',
    warns: 'secret-in-url',
  },
  'signature of a request': {
    ...request('signature: { scheme: github, secret: TEXT(SECRET) }'),
    warns: 'secret-in-request',
  },
  'signature of a request, in two parts': {
    ...request('signature: { scheme: github, secret: "CONCAT(TEXT(a), TEXT(SECRET))" }'),
    warns: 'secret-in-request',
  },
  'field of a body': {
    ...request('body: { contentType: json, schema: { client_secret: TEXT(SECRET) } }'),
    warns: 'secret-in-request',
  },
  'field in a field of a body': {
    ...request('body: { contentType: json, schema: { login: { password: TEXT(SECRET) } } }'),
    warns: 'secret-in-request',
  },
  'part of a form': { ...request('multipart: { api_key: TEXT(SECRET) }'), warns: 'secret-in-request' },
};

/** `mistake` adds an error to the same lines, so that messages and frames show them. */
function configOf({ datasource = api, request: sent = plain, other = '' }: Case, mistake: boolean): string {
  const [, kind = '', rest = other] = /^(AUTH|SETTINGS) (.*)$/s.exec(other) ?? [];
  const broken = (text: string): string => (mistake ? text.replace(/\}$/, ', tpye: a }') : text);
  const lines = [
    "specification: '1.0'",
    'operations:',
    "  'POST /a':",
    ...(kind === 'AUTH' ? ['    authentications: [one]'] : []),
    '    fulfillments:',
    '      - name: sent',
    '        type: UPDATE',
    '        datasource: api',
    '        instructions:',
    `          - request: ${broken(sent)}`,
    '    responses:',
    '      - { name: ok, default: true, statuscode: 204 }',
    'datasources:',
    `  api: ${broken(`{ ${datasource} }`)}`,
    ...(kind === '' && rest !== '' ? [`  ${broken(rest)}`] : []),
    ...(kind === 'AUTH' ? ['authentications:', `  one: ${broken(rest)}`] : []),
    ...(kind === 'SETTINGS' ? [`settings: ${broken(rest)}`] : []),
  ];
  return `${lines.join('\n').replaceAll('SECRET', secret)}\n`;
}

describe.each(Object.entries(cases))('%s', (_, one) => {
  test('is in no output that does not say so', async () => {
    const space = new Workspace();
    try {
      space.write('config.yaml', configOf(one, false));
      space.write('old.yaml', configOf({}, false));
      const checked = await space.run('check');
      const codes = [...(checked.stdout + checked.stderr).matchAll(/\[(secret-in-\w+)\]/g)].map(
        ([, code]) => code,
      );
      expect(codes).toEqual(one.warns === undefined ? [] : [one.warns]);
      let printed = checked.stdout + checked.stderr;
      for (const command of [
        ['check', '--format', 'json'],
        ['explain'],
        ['explain', '--format', 'json'],
        ['explain', 'POST /a'],
        ['diff', 'old.yaml', 'config.yaml'],
        ['diff', 'config.yaml', 'old.yaml', '--format', 'json'],
        ['audit'],
        ['audit', '--format', 'json'],
        ['openapi'],
        ['build', '--out', 'service'],
        ['build', '--out', 'pods', '--target', 'kubernetes'],
      ]) {
        const { stdout, stderr, status } = await space.run(...command);
        expect(status, command.join(' ')).toBeLessThan(2);
        printed += stdout + stderr;
      }
      expect(printed).not.toContain(secret);
      expect(printed).not.toContain(token);
      if (one.isRefused === true) return;
      expect(printed.includes('written-secret')).toBe(one.risk === true);
      const files = Object.entries({ ...space.files('service'), ...space.files('pods') });
      const holding = files
        .filter(([, text]) => text.includes(secret) || text.includes(token))
        .map(([path]) => path);
      const isSource = (path: string): boolean => /^src\/operations\/[\w-]+\.ts$/.test(path);
      expect(holding.length).toBeGreaterThan(0);
      expect(holding.every((path) => (one.warns === undefined ? path === '.env' : isSource(path)))).toBe(
        true,
      );
      // An additional mistake next to the secret.
      space.write('config.yaml', configOf(one, true));
      for (const command of [['check'], ['check', '--format', 'json'], ['build', '--out', 'service']]) {
        const { stdout, stderr } = await space.run(...command);
        expect(stdout + stderr).toContain('tpye');
        expect(stdout + stderr).not.toContain(secret);
        expect(stdout + stderr).not.toContain(token);
      }
    } finally {
      space.remove();
    }
  });
});

test.each([
  '/api/v1/customers/getCustomerByIdV2AndStatus3/orders',
  '/3f2b9c1e-aaaa-4bbb-8ccc-0123456789ab/v2.0',
  '/repos/TypeScript-Eslint/typescript-eslint-v8/releases/2024-12-24T10-00-00Z',
  '/oauth2/v2.0/openIdConnect/userInfoEndpointV2',
  '/a/0123456789012345678901234567890123456789',
])('%s has no token', (path) => {
  expect(tokensInPaths(path)).toEqual([]);
});

test.each([
  ['Syntax B', `signature: { scheme: github, secret: "'SECRET'" }`],
  ['Syntax B, in single quotes', `signature: { scheme: github, secret: '''SECRET''' }`],
  ['no expression', 'signature: { scheme: github, secret: SECRET }'],
  ['a bracket that is missing', 'signature: { scheme: github, secret: TEXT(SECRET }'],
])('a secret of a signature is not shown: %s', async (_, fields) => {
  const space = new Workspace();
  try {
    space.write('config.yaml', configOf(request(fields), true));
    const { stdout, stderr } = await space.run('check');
    expect(stdout + stderr).toContain('config.yaml:');
    expect(stdout + stderr).not.toContain(secret);
  } finally {
    space.remove();
  }
});

test('a secret of the environment or of the request is not warned about', async () => {
  const space = new Workspace();
  try {
    for (const value of ['ENV(HOOK_SECRET)', 'BODY($.secret)', 'CONCAT(TEXT(a), ENV(HOOK_SECRET))']) {
      const fields = `signature: { scheme: github, secret: "${value}" }, body: { contentType: json, schema: { password: "${value}" } }, header: ["Authorization: Bearer :[${value}]"]`;
      space.write('config.yaml', configOf(request(fields), false));
      const { stdout, stderr } = await space.run('check');
      expect(stdout + stderr).not.toContain('secret-in-');
    }
  } finally {
    space.remove();
  }
});
