/**
 * Reads authentications, whose fields depend on their type, and the authentications accepted by an operation
 * (docs/design/authentication.md#aut-3).
 */
import type { Report } from '../diagnostics/report.js';
import type { ScalarText, Span, WithSpan } from '../source.js';
import {
  signatureSchemes,
  type AcceptedAuthentication,
  type Authentication,
  type AuthenticationOf,
  type AuthenticationType,
  type TokenIssue,
} from './config-model.js';
import { checkReferences } from './environment-reference.js';
import { secondsIn } from './duration.js';
import { Fields } from './fields.js';
import { fieldTable } from './field-table.js';
import { authenticationFields, meantWord } from './meant-fields.js';
import { readLimits } from './read-limits.js';
import { resourceMap } from './resource-map.js';
import { warnOfCutText } from './yaml/cut-text.js';
import { entryOf, isBroken, isEmpty, type Entry, type MapNode, type Node } from './yaml/node.js';

/** Seconds: a token that lives longer is a password. */
const longestLifetime = 400 * 24 * 60 * 60;

const types = Object.keys(authenticationFields) as AuthenticationType[];

/** The required fields of each type; a rule checks fields of which at least one is required. */
export const requiredFields: Readonly<Record<AuthenticationType, readonly string[]>> = {
  basicauth: ['user', 'password'],
  jwt: ['issuer', 'audience'],
  apikey: [],
  signature: ['scheme', 'secrets'],
  custom: [],
};

/** The part of the credentials that limits can read. */
const limitedCredentials: Readonly<Record<AuthenticationType, 'user' | 'key' | undefined>> = {
  basicauth: 'user',
  jwt: undefined,
  apikey: 'key',
  signature: undefined,
  custom: undefined,
};

type OwnFields<Type extends AuthenticationType> = Omit<
  AuthenticationOf<Type>,
  'name' | 'type' | 'default' | 'limits' | 'fields'
>;

/** Read the fields specific to each type. */
const readers: { readonly [Type in AuthenticationType]: (fields: Fields) => OwnFields<Type> } = {
  basicauth: (fields) => ({
    user: fields.textWithReferences('user'),
    password: fields.textWithReferences('password'),
    passwordHash: fields.textWithReferences('passwordHash'),
    operation: fields.stringWithSpan('operation'),
  }),
  jwt: (fields) => ({
    issuer: fields.textWithReferences('issuer'),
    audience: fields.textWithReferences('audience'),
    expiry: readExpiry(fields),
    jwks: fields.textWithReferences('jwks'),
    key: fields.textWithReferences('key'),
    algorithms: fields.names('algorithms', 'RS256'),
    scheme: fields.stringWithSpan('scheme'),
    cookie: fields.stringWithSpan('cookie'),
    scopesClaim: fields.stringWithSpan('scopesClaim'),
    issue: readIssue(fields),
    operation: fields.stringWithSpan('operation'),
  }),
  apikey: (fields) => ({
    header: fields.stringWithSpan('header'),
    query: fields.stringWithSpan('query'),
    cookie: fields.stringWithSpan('cookie'),
    scheme: fields.stringWithSpan('scheme'),
    prefix: fields.stringWithSpan('prefix'),
    keys: readKeys(fields, fields.report),
    operation: fields.stringWithSpan('operation'),
  }),
  signature: (fields) => ({
    scheme: fields.word('scheme', signatureSchemes),
    secrets: readSecrets(fields, fields.report),
  }),
  custom: () => ({}),
};

export function readAuthentication({ key, value }: Entry, report: Report): Authentication | undefined {
  const resource = `Authentication '${key.text.value}'`;
  const written = resourceMap({ key, value }, resource, report);
  if (written === undefined) return undefined;
  const map = withPlace(written, resource, report);
  const name = { value: key.text.value, span: key.span };
  if (isOtherKind(map, report))
    return { name, type: undefined, default: false, limits: [], fields: new Map() };
  const type = typeOf(map);
  const own = type && { type, fields: authenticationFields[type] };
  const fields = new Fields(resource, map, fieldTable.authentication, report, own, key);
  const required = requiredFields[type ?? 'basicauth'].filter(
    (field) =>
      !(isOfAccount(field) && fields.has('operation')) &&
      !(field === 'password' && fields.has('passwordHash')),
  );
  fields.require(['type', ...required]);
  fields.word('type', types, (meant) => meant === type);
  const base = {
    ...{ name, default: fields.boolean('default') ?? false, fields: fields.spans },
    limits: readLimits(fields, { credentials: type && limitedCredentials[type] }),
  };
  switch (type) {
    case undefined:
      return { ...base, type };
    case 'basicauth':
      return { ...base, type, ...readers[type](fields) };
    case 'jwt':
      return { ...base, type, ...readers[type](fields) };
    case 'apikey':
      return { ...base, type, ...readers[type](fields) };
    case 'signature':
      return { ...base, type, ...readers[type](fields) };
    case 'custom':
      return { ...base, type, ...readers[type](fields) };
  }
}

/** The written or intended type. If it is missing or a value such as `bearer`, a user and password indicate HTTP Basic. */
function typeOf(map: MapNode): AuthenticationType | undefined {
  const written = entryOf(map, 'type')?.value;
  if (written?.kind === 'scalar') {
    const meant = meantWord(written.text.value, types);
    const isWritten = meant === written.text.value.toLowerCase();
    const isWholeAccount = entryOf(map, 'user') !== undefined && entryOf(map, 'password') !== undefined;
    if (meant !== undefined && (isWritten || !isWholeAccount)) return meant;
  }
  return isAccount(map) ? 'basicauth' : undefined;
}

/** Converts an API key in the form of API descriptions: `in: header, name: X-Key` is reported and read as `header: X-Key`. */
function withPlace(map: MapNode, resource: string, report: Report): MapNode {
  const [place, name] = ['in', 'name'].map((field) =>
    map.entries.find(({ key }) => key.text.value === field),
  );
  const word = place?.value.kind === 'scalar' ? place.value.text.value : '';
  if (place === undefined || name === undefined || typeOf(map) !== 'apikey') return map;
  if (place.value.kind !== 'scalar' || name.value.kind !== 'scalar') return map;
  if (!/^(?:header|query|cookie)$/.test(word) || entryOf(map, word) !== undefined) return map;
  const { source, start } = place.key.span;
  const { end } = name.value.span;
  const isNext = map.entries.indexOf(name) === map.entries.indexOf(place) + 1;
  report.add('unknown-field', place.key.span, {
    ...{ resource, field: 'in', nearest: undefined, owners: [], known: authenticationFields.apikey },
    place: { word, name: name.value.text.value },
    edits: isNext ? [{ start, end, text: `${word}: ${source.text.slice(name.value.span.start, end)}` }] : [],
  });
  const own: Entry = { key: place.value, value: name.value };
  const entries = map.entries.filter((entry) => entry !== name);
  return { ...map, entries: entries.map((entry) => (entry === place ? own : entry)) };
}

/** Whether an operation can find the field, instead of the configuration. */
function isOfAccount(field: string): boolean {
  return field === 'user' || field === 'password';
}

function isAccount(map: MapNode): boolean {
  return entryOf(map, 'user') !== undefined || entryOf(map, 'password') !== undefined;
}

/** Whether the type is an unsupported kind of authentication, which is reported: then its fields are not checked. */
function isOtherKind(map: MapNode, report: Report): boolean {
  const type = entryOf(map, 'type')?.value;
  if (isAccount(map) || type?.kind !== 'scalar' || isEmpty(type) || isBroken(type)) return false;
  const written = type.text.value;
  if (meantWord(written, types) !== undefined) return false;
  report.add('unknown-word', type.span, { field: 'type', written, words: types, nearest: undefined });
  report.ignoreInside([map.span]);
  return true;
}

function readKeys(fields: Fields, report: Report): AuthenticationOf<'apikey'>['keys'] {
  return (fields.mapping('keys')?.entries ?? []).flatMap(({ key, value }) => {
    const text = secretText(value, 'keys', report);
    return text === undefined ? [] : [{ name: { value: key.text.value, span: key.span }, value: text }];
  });
}

/** `none` switches a check off, so no other word is corrected to it. */
function readExpiry(fields: Fields): WithSpan<'none'> | undefined {
  const written = fields.stringWithSpan('expiry');
  if (written === undefined) return undefined;
  if (written.value === 'none') return { value: 'none', span: written.span };
  fields.report.add('wrong-kind', written.span, {
    what: "'expiry'",
    expected: 'none, or missing',
    example: 'expiry: none',
  });
  return undefined;
}

function readIssue(owner: Fields): TokenIssue | undefined {
  const fields = owner.inside('issue', fieldTable.issue);
  if (fields === undefined) return undefined;
  fields.require();
  const span = owner.spans.get('issue') ?? fields.headSpan;
  const claims = fields.names('claims', 'role');
  return { span, lifetimes: readLifetimes(fields), claims, keys: readSigningKeys(fields) };
}

function readLifetimes(fields: Fields): TokenIssue['lifetimes'] {
  const node = fields.node('lifetime');
  if (node?.kind === 'map')
    return node.entries.flatMap(({ key, value }) => {
      const text = value.kind === 'scalar' && !isEmpty(value) ? value.text : undefined;
      const seconds = lifetimeOf(text, value, fields.report);
      return seconds === undefined ? [] : [{ name: key.text.value, seconds }];
    });
  const text = fields.text('lifetime');
  const seconds = text && lifetimeOf(text, text, fields.report);
  return seconds === undefined ? [] : [{ name: undefined, seconds }];
}

function lifetimeOf(
  text: ScalarText | undefined,
  { span }: { readonly span: Span },
  report: Report,
): number | undefined {
  const seconds = text && secondsIn(text.value);
  if (seconds !== undefined && seconds <= longestLifetime) return seconds;
  report.add('wrong-kind', span, {
    what: 'A lifetime',
    expected: 'a whole number with the unit s, m, h or d, at most 400d',
    example: 'lifetime: 15m',
  });
  return undefined;
}

function readSigningKeys(fields: Fields): readonly ScalarText[] {
  if (fields.node('key')?.kind !== 'list') return [fields.textWithReferences('key') ?? []].flat();
  fields.requireItems('key');
  return (fields.list('key')?.items ?? []).flatMap((item) => secretText(item, 'key', fields.report) ?? []);
}

function readSecrets(fields: Fields, report: Report): readonly ScalarText[] {
  fields.requireItems('secrets');
  return (fields.list('secrets')?.items ?? []).flatMap((item) => secretText(item, 'secrets', report) ?? []);
}

const secretExamples = {
  keys: "keys: { acme: '${ACME_KEY}' }",
  secrets: "secrets: ['${WEBHOOK_SECRET}']",
  key: "key: ['${SIGNING_KEY}']",
};

/** Reads a secret without showing its value in messages. */
function secretText(node: Node, field: keyof typeof secretExamples, report: Report): ScalarText | undefined {
  if (isBroken(node)) return undefined;
  if (node.kind === 'scalar' && !isEmpty(node)) {
    warnOfCutText(node, false, report);
    checkReferences(node.text, report);
    return node.text;
  }
  report.add('wrong-kind', node.span, {
    what: `An item of '${field}'`,
    expected: 'a string',
    example: secretExamples[field],
  });
  return undefined;
}

/** Reads an operation's `authentications`: names, or maps with a name and requirements for callers. */
export function readAccepted(fields: Fields): readonly AcceptedAuthentication[] | undefined {
  return fields.list('authentications')?.items.flatMap((item): AcceptedAuthentication[] => {
    if (isBroken(item)) return [];
    if (item.kind === 'scalar')
      return [{ value: item.text.value, span: item.span, scopes: [], isOptional: false }];
    if (item.kind === 'map') return readAcceptedMap(item, fields.report);
    fields.report.add('wrong-kind', item.span, {
      what: "An item of 'authentications'",
      expected: 'a name',
      example: 'authentications: [admin]',
    });
    return [];
  });
}

function readAcceptedMap(map: MapNode, report: Report): AcceptedAuthentication[] {
  const fields = new Fields('An accepted authentication', map, fieldTable.accepted, report);
  fields.require();
  const name = fields.stringWithSpan('name');
  const scopes = fields.names('scopes', 'orders:write');
  const isOptional = fields.boolean('optional') ?? false;
  return name === undefined ? [] : [{ ...name, scopes, isOptional }];
}

/** A list of names; other items are reported and left out. */
