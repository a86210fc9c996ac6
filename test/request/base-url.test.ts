/** The base URL of a REST datasource, and the paths that are appended to it. */
import { describe, expect, test } from 'vitest';
import { parseBaseUrl, resolveUrl, type BaseUrl } from '../../runtime/rest/base-url.js';

function base(text: string): BaseUrl {
  const parsed = parseBaseUrl(text);
  if (typeof parsed === 'string') throw new Error(parsed);
  return parsed;
}

describe('a base URL', () => {
  test.each<[string, Partial<BaseUrl>]>([
    ['https://api.example', { origin: 'https://api.example', path: '/', query: '' }],
    [' HTTPS://API.example:443/v1/ \n', { origin: 'https://api.example', path: '/v1/' }],
    [
      'http://api.example:8080/v1?key=a%20b',
      { origin: 'http://api.example:8080', path: '/v1', query: 'key=a%20b' },
    ],
    ['http://us%40er:p%3Ass%C5%BE@api.example', { user: 'us@er', password: 'p:ssž', path: '/' }],
    ['http://api.example', { user: undefined, password: undefined }],
    ['http://[::1]:8080/', { origin: 'http://[::1]:8080' }],
    ['http://api.example/a/../b c', { path: '/b%20c' }],
  ])('%j', (text, expected) => {
    expect(parseBaseUrl(text)).toMatchObject(expected);
  });

  const absolute = /absolute http:\/\/ or https:\/\/ URL/;
  test.each([
    ['', absolute],
    ['api.example', absolute],
    ['//api.example', absolute],
    ['ftp://api.example', absolute],
    ['file:///etc/passwd', absolute],
    ['http:api.example', absolute],
    ['http://', absolute],
    ['http://api.example:99999', absolute],
    ['http://CANARY secret@api.example:x', absolute],
    ['http://api.example/#part', /fragment/],
    ['http://%ff:CANARY@api.example', /percent-encoded/],
  ])('%j is none, and the reason repeats nothing of it', (text, problem) => {
    const reason = parseBaseUrl(text);
    expect(reason).toMatch(problem);
    expect(reason).not.toContain('CANARY');
  });
});

describe('a URL below it', () => {
  test.each([
    ['http://h', '/a', 'http://h/a'],
    ['http://h/', '/a', 'http://h/a'],
    ['http://h/v1', '/a', 'http://h/v1/a'],
    ['http://h/v1/', '/a/', 'http://h/v1/a/'],
    ['http://h/v1', '', 'http://h/v1'],
    ['http://h/v1/', '', 'http://h/v1/'],
    ['http://h', '', 'http://h/'],
    ['http://h/v1', '/', 'http://h/v1/'],
    ['http://h/v1', '?a=b', 'http://h/v1?a=b'],
    ['http://h/v1?key=1', '/a?b=c', 'http://h/v1/a?key=1&b=c'],
    ['http://h/v1?key=1', '/a', 'http://h/v1/a?key=1'],
    ['http://h/v1?key=1', '?', 'http://h/v1?key=1'],
    ['http://h', '/a?b=?&c', 'http://h/a?b=?&c'],
    ['http://h', '//evil.example/a', 'http://h//evil.example/a'],
    ['http://user:pw@h', '/a', 'http://h/a'],
    ['http://h/v1', 'https://other.example/a', 'https://other.example/a'],
  ])('%s and %j', (text, url, expected) => {
    expect(resolveUrl(url, base(text))).toBe(expected);
    expect(new URL(expected).href).toBe(expected);
  });

  test('needs one; an absolute one does not', () => {
    expect(resolveUrl('https://other.example/a', undefined)).toBe('https://other.example/a');
    expect(() => resolveUrl('/a', undefined)).toThrow('a datasource without a url');
  });
});
