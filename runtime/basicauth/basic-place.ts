/** The place of HTTP Basic credentials, and the challenge that asks for them. */
import { authorizationPlace } from '../authentication/places.js';

export const basicPlace = authorizationPlace('Basic');
export const basicChallenge = 'Basic realm="service", charset="UTF-8"';
