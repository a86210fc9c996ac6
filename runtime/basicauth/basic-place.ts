/** The place of HTTP Basic credentials, how they are written, and the challenge that asks for them. */
import { authorizationPlace } from '../authentication/places.js';
import type { AccessRequest } from '../http/route.js';

/** User and password; undefined unless the token is Base64 of UTF-8. */
export function pairOf(token: string): readonly [user: string, password: string] | undefined {
  const bytes = Buffer.from(token, 'base64');
  const text = bytes.toString();
  const isWritten = bytes.toString('base64') === token && Buffer.from(text).equals(bytes);
  const colon = text.indexOf(':');
  return isWritten && colon !== -1 ? [text.slice(0, colon), text.slice(colon + 1)] : undefined;
}

export const basicPlace = authorizationPlace('Basic');

/** Maximum bytes of a user, so that limits can count every user: see `maxLength` of their keys. */
export const longestUser = 1024;

/** The user of the request; null unless its credentials are well-formed, and the user is short enough. */
export function userIn(request: AccessRequest): string | null {
  const [user] = pairOf(basicPlace.read(request) ?? '') ?? [];
  return user === undefined || Buffer.byteLength(user) > longestUser ? null : user;
}

export const basicChallenge = 'Basic realm="service", charset="UTF-8"';
