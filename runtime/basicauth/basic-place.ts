/** The location and challenge of HTTP Basic credentials. */
import { authorizationPlace } from '../authentication/places.js';

export const basicPlace = authorizationPlace('Basic');
export const basicChallenge = 'Basic realm="service", charset="UTF-8"';
