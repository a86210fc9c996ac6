/** A client: one TypeScript module without dependencies, which calls the operations of the service with `fetch`. */
import { withParts } from '../../../notation/typescript-parts.js';
import { moduleCode } from '../../../notation/typescript-writer.js';
import type { Written } from '../../../notation/written.js';
import type { Assets } from '../../assets.js';
import {
  comment,
  constant,
  declareInterface,
  declareType,
  doc,
  exported,
  field,
  generic,
  jsonFields,
  name,
  object,
  recordType,
  tallObject,
  union,
  type Statement,
  type Type,
} from '../../code/code.js';
import { printModule } from '../../code/print.js';
import type { ClientModel } from '../../plan/client/client-context.js';
import type { ClientPlan, CredentialPlan } from '../../plan/client/client-plan.js';
import { CompilationCache } from '../compilation-cache.js';
import { formatAll } from '../module/format-all.js';
import { clientHeader } from './client-header.js';
import { emitClientOperation } from './client-operation.js';
import { recordOf, typeOfClient } from './client-type.js';

/** The formatted module. `cache` from earlier builds only affects speed. */
export async function emitClient(
  plan: ClientPlan,
  assets: Assets,
  cache = new CompilationCache(),
): Promise<Written<'typescript'>> {
  const text = clientText(plan, assets.template('client/client.ts'));
  const [formatted = ''] = await formatAll([text], cache.formatted);
  return moduleCode(formatted);
}

/** The module before formatting. The template has all parts that a module can have. */
function clientText(plan: ClientPlan, template: Written<'copy'>): Written<'typescript'> {
  const { credentials, models, operations } = plan;
  const generated = [
    ...(credentials.length === 0 ? [] : [credentialsType(credentials)]),
    ...models.map(modelType),
    ...operations.flatMap(emitClientOperation),
    ...(credentials.length === 0 ? [] : [placesOf(credentials)]),
  ];
  const head = printModule([[comment(clientHeader(plan.configName))]]);
  return withParts({ head, middle: printModule(generated) }, template, partsOf(plan));
}

/** The parts of the template that the module needs. */
function partsOf({ credentials, operations }: ClientPlan): ReadonlySet<string> {
  const inputs = operations.flatMap((operation) => operation.inputs);
  const bodies = operations.flatMap(({ body }) => body?.kind ?? []);
  const readers = operations.flatMap(({ replies }) =>
    replies.flatMap(({ contents }) => contents.map(({ reader }) => reader)),
  );
  const kinds = credentials.map(({ kind }) => kind);
  const next = operations.flatMap(({ pages }) => pages?.next.kind ?? []);
  const isUsed: Readonly<Record<string, boolean>> = {
    credentials: credentials.length > 0,
    authenticate: credentials.length > 0,
    secret: kinds.some((kind) => kind !== 'signer'),
    password: kinds.includes('password'),
    basic: kinds.includes('password'),
    signer: kinds.includes('signer'),
    key: operations.some(({ key }) => key !== undefined),
    cookies: inputs.some(({ place }) => place === 'cookie'),
    segment: operations.some(({ path }) => path.some((part) => typeof part === 'object' && part.isSegment)),
    joined: inputs.some(({ format }) => typeof format === 'object'),
    jsonBody: bodies.includes('json'),
    rawBody: bodies.includes('raw'),
    formBody: bodies.includes('form'),
    urlencodedBody: bodies.includes('urlencoded'),
    fieldsOf: bodies.includes('form') || bodies.includes('urlencoded'),
    pages: next.length > 0,
    linked: next.includes('link'),
    pageOf: next.includes('link') || next.includes('url'),
  };
  return new Set([
    ...['types', 'core', ...readers],
    ...Object.keys(isUsed).filter((part) => isUsed[part] === true),
  ]);
}

const credentialTypes: Readonly<Record<CredentialPlan['kind'], Type>> = {
  text: generic(name('Credential'), name('string')),
  password: generic(name('Credential'), name('Password')),
  signer: name('Signer'),
};

function credentialsType(credentials: readonly CredentialPlan[]): readonly Statement[] {
  const fields = credentials.map((credential) => ({
    key: credential.name,
    type: union(credentialTypes[credential.kind], name('undefined')),
    isOptional: true,
    doc: meaningOf(credential),
  }));
  return [
    doc('Credentials by the names of their authentications, or functions that return them.'),
    exported(declareInterface('Credentials', recordType(fields))),
  ];
}

function meaningOf({ kind, place: { header: headerName, scheme, query, cookie } }: CredentialPlan): string {
  if (kind === 'signer') return 'A function that returns the headers of the signature.';
  if (kind === 'password') return 'A user and a password (HTTP Basic).';
  if (cookie !== undefined) return `The value of the cookie ${cookie}, which browsers send themselves.`;
  if (query !== undefined) return `The key in the query parameter ${query}.`;
  return scheme === undefined
    ? `The key in the header ${headerName ?? ''}.`
    : `The token after ${scheme} in the header Authorization.`;
}

/** The places of credentials in a request. */
function placesOf(credentials: readonly CredentialPlan[]): readonly Statement[] {
  const places = credentials.map((one) => field(one.name, object(jsonFields(one.place))));
  const type = generic(name('Readonly'), generic(name('Record'), name('string'), name('Place')));
  return [constant(name('authentications'), tallObject(places), type)];
}

function modelType({ name: typeName, type, description }: ClientModel): readonly Statement[] {
  const comments = description === undefined ? [] : [doc(description)];
  if (type.kind === 'record' && type.fields.length > 0)
    return [...comments, exported(declareInterface(typeName, recordOf(type)))];
  return [...comments, exported(declareType(typeName, typeOfClient(type)))];
}
