/** More hostile texts: beginnings and ends of constructs in each notation that commands write. */

/** Complements the texts in test/emit, most of which target TypeScript. */
export const moreTexts: readonly string[] = [
  // YAML and `.env` files.
  'a: b\n  c: d',
  '- x',
  '!!js/function x',
  '&a *a',
  '<<',
  '--- x',
  "x' : '",
  'NODE_OPTIONS=--import=data:text/javascript,1',
  'x\nNODE_OPTIONS=--import=data:text/javascript,1',
  '$(A)',
  '{{ .Values.x }}',
  // Terminals and GitHub workflows.
  '\u001b[2J\u001b]0;pwn\u0007',
  '\u009b31m',
  'x\n::error::injected',
  '::stop-commands::x',
  '##[error]x',
  'x\u{e0041}\u061c\u2060',
  // Markdown, HTML and XML.
  '[x](command:evil)',
  '![x](https://evil.example/x.png)',
  '<img src=x onerror=alert(1)>',
  '@somebody #12 GH-3',
  '# Run this first',
  '**bold** _x_ ~~y~~',
  '~~~\nx\n~~~',
  '| a | b |',
  ']]>',
  '&lt;b&gt;',
  // Mermaid.
  '"] --> evil["',
  'end',
  '%%{init: {}}%%',
  // TypeScript keywords.
  'await',
  'Please await the next release',
  'async import yield return class */',
  'new Date()',
  'true',
  'null',
  '12:30',
];
