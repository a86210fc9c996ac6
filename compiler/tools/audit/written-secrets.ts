/** Secrets in the configuration, readable by everyone with access to the file. */
import { referencesIn } from '../../../runtime/server/environment-reference.js';
import { replaceReferences } from '../../read/config/environment-reference.js';
import { parseJdbcUrl } from '../../read/config/jdbc/jdbc-url.js';
import {
  asThirdParty,
  headersOf,
  type Authentication,
  type Config,
  type Datasource,
} from '../../read/config/config-model.js';
import {
  isSecretHeader,
  isSecretOption,
  tokensInPaths,
} from '../../read/diagnostics/secrets/secret-words.js';
import type { ScalarText } from '../../read/source.js';
import type { Risk } from './risk.js';

export function writtenSecrets({ datasources, authentications, settings }: Config): Risk[] {
  return [
    ...datasources.flatMap(secretsOfDatasource),
    ...authentications.flatMap(secretsOf),
    ...secretIn(settings.licence, 'The licence', 'Remove it, and set it with the variable LICENCE.'),
  ];
}

function secretsOfDatasource(datasource: Datasource): Risk[] {
  const { url, password } = datasource;
  const { value: name } = datasource.name;
  const { oauth2, signature } = asThirdParty(datasource) ?? {};
  return [
    ...secretIn(password, `The password of '${name}'`),
    ...secretInUrl(url, `the url of '${name}'`),
    ...headersOf(datasource)
      .filter((field) => isSecretHeader(field.name.value))
      .flatMap((field) => secretIn(field.value, `The header '${field.name.value}' of '${name}'`)),
    ...secretInUrl(oauth2?.tokenUrl, `the tokenUrl of '${name}'`),
    ...secretIn(oauth2?.clientSecret, `The clientSecret of '${name}'`),
    ...(oauth2?.parameters ?? [])
      .filter((field) => isSecretOption(field.name.value))
      .flatMap((field) => secretIn(field.value, `The parameter '${field.name.value}' of '${name}'`)),
    ...secretIn(signature?.secret, `The secret of the signature of '${name}'`),
  ];
}

function secretsOf(authentication: Authentication): Risk[] {
  const { value: name } = authentication.name;
  switch (authentication.type) {
    case 'basicauth':
      return secretIn(authentication.password, `The password of '${name}'`);
    case 'jwt': {
      const { jwks, key, issue } = authentication;
      // A public key cannot sign, so it is not a secret.
      const ofKey = isPublicKey(key) ? [] : secretIn(key, `The key of '${name}'`);
      const signing = (issue?.keys ?? []).flatMap((one) => secretIn(one, `A key of issue of '${name}'`));
      return [...secretInUrl(jwks, `the jwks of '${name}'`), ...ofKey, ...signing];
    }
    case 'apikey':
      // A digest cannot be used as a key, so it is not a secret.
      return authentication.keys
        .filter(({ value }) => !value.value.startsWith('sha256:'))
        .flatMap((one) => secretIn(one.value, `The key '${one.name.value}' of '${name}'`));
    case 'signature':
      return authentication.secrets.flatMap((secret) => secretIn(secret, `A secret of '${name}'`));
    case 'custom':
    case undefined:
      return [];
  }
}

const writeReference = 'Write ${NAME}, and set the value in the environment or in .env.';

function isPublicKey(key: ScalarText | undefined): boolean {
  return /^\s*-----BEGIN (?:PUBLIC KEY|CERTIFICATE)-----/.test(key?.value ?? '');
}

function secretInUrl(url: ScalarText | undefined, where: string): Risk[] {
  return url !== undefined && hasPassword(url.value) ? secretIn(url, `A password or key in ${where}`) : [];
}

/** Empty if the value comes from the environment. */
function secretIn(text: ScalarText | undefined, what: string, instead = writeReference): Risk[] {
  if (text === undefined || text.value.trim() === '') return [];
  const references = referencesIn(text.value);
  const isDefault = references.length > 0;
  const hasDefault = references.some(({ fallback = '' }) => fallback !== '');
  if (isDefault && !hasDefault) return [];
  return [
    {
      rule: 'written-secret',
      severity: isDefault ? 'low' : 'medium',
      span: text.span,
      message: isDefault
        ? `${what} has a default in the configuration: a service without the variable starts with it.`
        : `${what} is written in the configuration.`,
      hint: isDefault ? 'Remove the default (${NAME}): then a start without the variable fails.' : instead,
    },
  ];
}

/** Whether the URL contains a password, or a constant option or path segment that looks like a secret; references do not count. */
function hasPassword(url: string): boolean {
  const resolved = replaceReferences(url, ({ fallback = '' }) => fallback).trim();
  const query = /\?(.*)$/s.exec(resolved)?.[1] ?? '';
  const options = query.split('&').map((option) => option.split('='));
  if (options.some(([name = '', value = '']) => value !== '' && isSecretOption(name))) return true;
  if (/^jdbc:/i.test(resolved)) return (parseJdbcUrl(resolved).password ?? '') !== '';
  if (tokensInPaths(resolved).length > 0) return true;
  return URL.canParse(resolved) && new URL(resolved).password !== '';
}
