/** Where the credentials of HTTP Basic are, and how they are asked for. */
import { authorizationPlace } from '../authentication/places.js';

export const basicPlace = authorizationPlace('Basic');
export const basicChallenge = 'Basic realm="service", charset="UTF-8"';
