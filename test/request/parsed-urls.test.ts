/** Parsing the URLs of requests: a table of valid and invalid URLs. */
import { describe, expect, test } from 'vitest';
import type { Template } from '../../compiler/read/expression/ast.js';
import { takeApart, type UrlPiece } from '../../compiler/analyze/operations/requests/request-url.js';
import { template } from './templates.js';

function written(parts: Template): string {
  return parts
    .map((part) => (typeof part === 'string' ? part : `{${part.kind === 'param' ? part.name : ''}}`))
    .join('');
}

/** `[…]` is a whole segment; `(…)` is a part that is encoded separately. */
function pieceText(piece: UrlPiece): string {
  if (piece.kind === 'text') return piece.text;
  return piece.kind === 'segment' ? `[${written(piece.value)}]` : `(${written([piece.value])})`;
}

function read(text: string, hasBase: boolean): string {
  const parsed = takeApart(template(text), hasBase);
  if ('problem' in parsed) return `${parsed.problem.kind}: ${parsed.problem.problem}`;
  const { url, hasFragment } = parsed;
  const pieces = url.kind === 'whole' ? `whole ${written([url.value])}` : url.pieces.map(pieceText).join('');
  return `${pieces}${hasFragment ? ' without fragment' : ''}`;
}

const inOrigin = 'origin: Placeholder in the scheme, host or port of the URL';
const noHost = 'host: This URL has no host, and its datasource has no url';
const dots = "wrong: its path has a segment '.' or '..'";
const noScheme = "wrong: it does not begin with 'http://' or 'https://'";

describe('an absolute URL', () => {
  test.each([
    ['https://api.example/v1', 'https://api.example/v1'],
    ['HTTPS://API.Example:443', 'https://api.example/'],
    ['http://api.example:8080?a=1', 'http://api.example:8080/?a=1'],
    ['  https://api.example/a b/žluť?q=ů  ', 'https://api.example/a%20b/%C5%BElu%C5%A5?q=%C5%AF'],
    ['https://žluť.example/', 'https://xn--lu-yta1h.example/'],
    ['http://[::1]:80/x', 'http://[::1]/x'],
    ['http://2130706433/', 'http://127.0.0.1/'],
    ['https://api.example/{id}', 'https://api.example/[{id}]'],
    ['https://api.example/{a}/{b}/', 'https://api.example/[{a}]/[{b}]/'],
    ['https://api.example/{a}{b}', 'https://api.example/[{a}{b}]'],
    ['https://api.example/.{a}', 'https://api.example/[.{a}]'],
    ['https://api.example/%2e{a}%2E', 'https://api.example/[.{a}.]'],
    ['https://api.example/x{a}', 'https://api.example/x({a})'],
    ['https://api.example/{a}.json', 'https://api.example/({a}).json'],
    ['https://api.example/{a}-{b}', 'https://api.example/({a})-({b})'],
    ['https://api.example/{a}/../b', dots],
    ['https://api.example/a?{name}={value}&b', 'https://api.example/a?({name})=({value})&b'],
    ['https://api.example?{q}', 'https://api.example/?({q})'],
    ['https://api.example/a?b=c/../{d}', 'https://api.example/a?b=c/../({d})'],
    ['https://api.example/a#b', 'https://api.example/a without fragment'],
    ['https://api.example/{a}#{b}', 'https://api.example/[{a}] without fragment'],
    ['https://api.example/value0x/{a}', 'https://api.example/value0x/[{a}]'],
    ['https://api.example/VALUE0X{a}', 'https://api.example/VALUE0X({a})'],
    ['https://api.example/a//b/', 'https://api.example/a//b/'],
    ['{url}', 'whole {url}'],
    ['  {url} ', 'whole {url}'],
    ['{scheme}://api.example', inOrigin],
    ['https{s}://api.example', inOrigin],
    ['https://{host}/x', inOrigin],
    ['https://{sub}.example/x', inOrigin],
    ['https://api.example:{port}/', inOrigin],
    ['https://api.example{path}', inOrigin],
    ['https://{user}@api.example/', inOrigin],
    ['https://user:secret@api.example/', 'wrong: it has a user or password'],
    ['ftp://api.example/x', noScheme],
    ['file:///etc/passwd', noScheme],
    ['data:text/plain,x', noScheme],
    ['javascript:alert(1)', noScheme],
    ['https:api.example', noScheme],
    ['https:/api.example', noScheme],
    ['https:///x', 'wrong: its host is not valid'],
    ['https:///{host}/x', 'wrong: its host is not valid'],
    ['https:////{host}/x', 'wrong: its host is not valid'],
    ['https://?{host}', 'wrong: its host is not valid'],
    ['https://api.example:99999/', 'wrong: its port is not valid'],
    ['https://a b/', 'wrong: its host is not valid'],
    ['https://api.example\\@evil.example/', 'wrong: it has a backslash'],
    ['https://api.example/a\tb', 'wrong: it has a tab or line break'],
    ['https://api.example/a\nb', 'wrong: it has a tab or line break'],
    ['https://api.example/100%', "wrong: a '%' in it is not followed by two hexadecimal digits"],
    ['https://api.example/%{a}', "wrong: a '%' in it is not followed by two hexadecimal digits"],
    ['https://api.example/%2{a}', "wrong: a '%' in it is not followed by two hexadecimal digits"],
    ['https://api.example/./a', dots],
    ['https://api.example/a/..', dots],
    ['https://api.example/%2E%2e/a', dots],
    ['https://api.example/${a{ }', 'wrong: ${…} is only replaced in the fields of a datasource'],
    ['https://${HOST}/a', 'wrong: ${…} is only replaced in the fields of a datasource'],
  ])('%j is %j', (text, parsed) => {
    expect(read(text, false)).toBe(parsed);
    expect(read(text, true)).toBe(parsed);
  });
});

describe('a URL below that of the datasource', () => {
  test.each([
    ['/v1/{id}', '/v1/[{id}]'],
    ['v1/{id}', '/v1/[{id}]'],
    ['{id}/x', '/[{id}]/x'],
    ['{a}{b}', '/[{a}{b}]'],
    ['', ''],
    ['/', '/'],
    ['?a={b}', '?a=({b})'],
    ['#x', ' without fragment'],
    ['/a b?c=d e', '/a%20b?c=d%20e'],
    ["/a?b='{c}'", '/a?b=%27({c})%27'],
    ['/a:b/{c}', '/a:b/[{c}]'],
    ['//evil.example/x', 'wrong: it has a host, but no scheme'],
    ['//{host}/x', inOrigin],
    ['/{a}//{b}', '/[{a}]//[{b}]'],
    ['../x', dots],
    ['a/../{b}', dots],
    ['/\\evil.example', 'wrong: it has a backslash'],
  ])('%j is %j', (text, parsed) => {
    expect(read(text, true)).toBe(parsed);
  });

  test.each(['/v1/{id}', 'v1', '', '?a=b'])('%j needs one', (text) => {
    expect(read(text, false)).toBe(noHost);
  });

  test('that begins with a placeholder needs one too', () => {
    expect(read('{a}/x', false)).toBe(inOrigin);
    expect(read('{a}{b}', false)).toBe(inOrigin);
  });
});
