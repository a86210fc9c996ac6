/** Reads how a datasource authenticates with a third party, and its request limit: `oauth2`, `signature`, `limit`. */
import type { Notation } from '../../expression/notation.js';
import { checkReferences } from '../environment-reference.js';
import { fieldTable } from '../field-table.js';
import type { Fields } from '../fields.js';
import {
  signatureSchemes,
  type DatasourceSignature,
  type Limit,
  type OAuth2,
  type RequestSignature,
} from '../config-model.js';
import { isBroken, isEmpty } from '../yaml/node.js';

/** Reads `oauth2`; undefined if the field is missing. */
export function readOAuth2(owner: Fields): OAuth2 | undefined {
  const fields = owner.inside('oauth2', fieldTable.oauth2);
  if (fields === undefined) return undefined;
  fields.require();
  return {
    tokenUrl: fields.textWithReferences('tokenUrl'),
    clientId: fields.textWithReferences('clientId'),
    clientSecret: fields.textWithReferences('clientSecret'),
    scope: fields.textWithReferences('scope'),
    parameters: readParameters(fields),
    clientAuth: fields.word('clientAuth', ['basic', 'body'] as const)?.value,
  };
}

function readParameters(owner: Fields): OAuth2['parameters'] {
  return (owner.mapping('parameters')?.entries ?? []).flatMap(({ key, value }) => {
    if (isBroken(value)) return [];
    if (value.kind === 'scalar' && !isEmpty(value)) {
      checkReferences(value.text, owner.report);
      return [{ name: { value: key.text.value, span: key.span }, value: value.text }];
    }
    owner.report.add('wrong-kind', value.span, {
      what: "A value of 'parameters'",
      expected: 'a string',
      example: 'parameters: { audience: https://api.example.com }',
    });
    return [];
  });
}

/** Reads `signature` of a datasource. Undefined if missing or invalid (reported). */
export function readSignature(owner: Fields): DatasourceSignature | undefined {
  const fields = owner.inside('signature', fieldTable.signature);
  if (fields === undefined) return undefined;
  fields.require();
  const scheme = fields.word('scheme', signatureSchemes)?.value;
  const secret = fields.textWithReferences('secret');
  return scheme === undefined || secret === undefined ? undefined : { scheme, secret };
}

/** Reads `signature` of a request, whose secret is an expression. */
export function readRequestSignature(owner: Fields, notation: Notation): RequestSignature | undefined {
  const fields = owner.inside('signature', fieldTable.requestSignature);
  if (fields === undefined) return undefined;
  fields.require();
  const scheme = fields.word('scheme', signatureSchemes)?.value;
  const secret = fields.expression('secret', { ...notation, bareWord: 'secret' });
  return scheme === undefined || secret === undefined ? undefined : { scheme, secret };
}

/** Reads `limit`; undefined if the field is missing or does not contain a number. */
export function readLimit(owner: Fields): Limit | undefined {
  const fields = owner.inside('limit', fieldTable.limit);
  if (fields === undefined) return undefined;
  const perSecond = fields.number('perSecond')?.value;
  const atOnce = fields.integer('atOnce')?.value;
  if (!fields.has('perSecond') && !fields.has('atOnce')) fields.require(['perSecond']);
  return perSecond === undefined && atOnce === undefined ? undefined : { perSecond, atOnce };
}
