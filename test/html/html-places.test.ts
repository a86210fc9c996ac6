/** Values in the HTML of mails: the place of each, and the places where no escaping is safe. */
import { expect, test } from 'vitest';
import { parseTemplate } from '../../compiler/read/expression/parse/parse.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { readHtml } from '../../compiler/read/html/html-places.js';
import { htmlLink, htmlLinkPart, htmlText } from '../../runtime/smtp/html.js';

/** `%` is a value. */
function read(html: string): ReturnType<typeof readHtml> {
  const text = html.replaceAll('%', ':[PARAM(a)]');
  const source = { path: 'a', text };
  const spanOf = (start: number, end: number) => ({ source, start, end });
  const scalar = { value: text, span: spanOf(0, text.length), spanOf };
  return readHtml(parseTemplate(scalar, { syntax: 'A' }, new Report()));
}

const placesIn = (html: string): string[] =>
  read(html).parts.flatMap((part) => (typeof part === 'string' ? [] : [part.place]));
const problemsIn = (html: string): string[] =>
  read(html).problems.map((problem) => (problem.kind === 'place' ? problem.where : problem.written));

test.each([
  ['<p>%</p>', ['text']],
  ['a < b % <b>%', ['text', 'text']],
  ['<!-- a > b --><p>%', ['text']],
  ['<!doctype html><p>%', ['text']],
  ['<!--><p>%', ['text']],
  ['<!-- a --!><p>%', ['text']],
  ['<style>a > b {}</style><p>%', ['text']],
  ['<script></scripty></script >%', ['text']],
  ['<img alt="a > b" title=\'%\'>%', ['attribute', 'text']],
  ['<a href="%">', ['link']],
  ['<A HREF = "%/reset#%">', ['link', 'link part']],
  ['<a href="https://shop.example/reset#%">', ['link part']],
  ['<a href="https://shop.example?a=%&amp;b=%">', ['link part', 'link part']],
  ["<a href='mailto:%'>", ['link part']],
  ['<img src="https://shop.example/%.png" width="%">', ['link part', 'attribute']],
  ['<td data-id="%" aria-label="%">', ['attribute', 'attribute']],
  ['<a data-sent href="%">', ['link']],
  ['<img hidden src = "%" alt>', ['link']],
])('%s', (html, places) => {
  expect(problemsIn(html)).toEqual([]);
  expect(placesIn(html)).toEqual(places);
});

test.each([
  ['<%>', 'a tag'],
  ['<p %>', 'a tag'],
  ['<p title%="a">', 'a tag'],
  ['</%>', 'a tag'],
  ['<p title=%>', 'an attribute without quotes'],
  ['<a href=https://shop.example/%>', 'an attribute without quotes'],
  ['<!-- % -->', 'a comment'],
  ['<!-- > % -->', 'a comment'],
  ['<!doctype %>', 'a comment'],
  ['<script>let a = "%"</script>', '<script>'],
  ['<style>%</style>', '<style>'],
  ['<STYLE></styles>%', '<style>'],
  ['<noscript>%', '<noscript>'],
  ['<!-- a --!><script> --> %', '<script>'],
  ['<p onclick="%">', 'the attribute onclick of <p>'],
  ['<p style="color: %">', 'the attribute style of <p>'],
  ['<iframe srcdoc="%">', 'the attribute srcdoc of <iframe>'],
  ['<iframe src="%">', 'the attribute src of <iframe>'],
  ['<script src="%">', 'the attribute src of <script>'],
  ['<base href="%">', 'the attribute href of <base>'],
  ['<form action="%">', 'the attribute action of <form>'],
  ['<meta content="0;url=%">', 'the attribute content of <meta>'],
  ['<img srcset="%">', 'the attribute srcset of <img>'],
  ['<a xlink:href="%">', 'the attribute xlink:href of <a>'],
  ['<a href="https://%/reset">', 'the host of a link'],
  ['<a href="https://shop.example.%">', 'the host of a link'],
  ['<a href="%%">', 'the host of a link'],
  ['<a href="%.%/reset">', 'the host of a link'],
  ['<p data-a onclick="%">', 'the attribute onclick of <p>'],
  ['<p data-a %>', 'a tag'],
  ['<p title=a\u{A0}id="%">', 'an attribute without quotes'],
])('no value in %s', (html, where) => {
  expect(problemsIn(html)).toContain(where);
});

test.each([
  'javascript:alert(1)',
  ' javascript:%',
  'http://shop.example',
  '//shop.example',
  '/reset',
  'data:text/html,x',
  '&#106;avascript:alert(1)',
  '&#104;ttps://shop.example',
])('the link %s', (link) => {
  expect(problemsIn(`<a href="${link}">`)).toEqual([link.replace('%', '…')]);
});

test('an unquoted link', () => {
  expect(problemsIn('<a href=javascript:alert(1)>')).toEqual(['javascript:alert(1)']);
  expect(problemsIn('<a href=https://shop.example>')).toEqual([]);
});

test('values are escaped', () => {
  expect(htmlText(`<a href="x" title='y'>&amp;`)).toBe(
    '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;',
  );
  expect(htmlText(null)).toBe('');
  expect(htmlText(7)).toBe('7');
  expect(htmlLinkPart('a/b?c=d&"e\' <f>#g')).toBe('a%2Fb%3Fc%3Dd%26%22e%27%20%3Cf%3E%23g');
  expect(htmlLink('https://shop.example/a?b="c"&d')).toBe('https://shop.example/a?b=&quot;c&quot;&amp;d');
  expect(htmlLink('mailto:a@example.com')).toBe('mailto:a@example.com');
  expect(htmlLink('http://localhost:5173')).toBe('http://localhost:5173');
});

test.each([
  ...['javascript:alert(1)', 'http://shop.example', 'http://localhost.evil.example', ' https://a.example'],
  ...['//a.example', '', 'https:a.example', 'https:///a', 'https://a.example/\nb', 'data:text/html,x'],
])('%j is no link', (link) => {
  expect(() => htmlLink(link)).toThrow('neither https nor mailto');
});
