/** Addresses to which secrets are sent, or whose keys are trusted. */
import { expect, test } from 'vitest';
import { problemOfJwks, problemOfTokenUrl } from '../../../runtime/server/secure-address.js';

const insecure = 'must begin with https: it receives the secret of the client';

test.each([
  ['https://id.example.com/token', undefined],
  ['http://localhost:9000/token', undefined],
  ['http://127.0.0.1/token', undefined],
  ['http://[::1]:9000/token', undefined],
  ['id.example.com/token', 'is not a URL'],
  ['http://id.example.com/token', insecure],
  ['http://127.0.0.1.example.com/token', insecure],
  ['ftp://localhost/token', insecure],
  ['https://user@id.example.com/token', 'has a user or password: write clientId and clientSecret'],
  ['https://:secret@id.example.com/token', 'has a user or password: write clientId and clientSecret'],
  ['https://id.example.com/token#part', 'has a fragment (#), which is never sent'],
])('the token URL %s', (address, problem) => {
  expect(problemOfTokenUrl(address)).toBe(problem);
});

test.each([
  ['https://id.example.com/keys', undefined],
  ['http://localhost/keys', undefined],
  ['/keys', 'is not a URL'],
  [
    'http://id.example.com/keys',
    'must begin with https: otherwise an attacker in the network can replace the keys and make tokens',
  ],
])('the JWKS %s', (address, problem) => {
  expect(problemOfJwks(address)).toBe(problem);
});
