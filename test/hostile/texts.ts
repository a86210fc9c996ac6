/** Further hostile texts: beginnings and ends of constructs of each notation that the commands write. */

/** Those of test/emit are for TypeScript above all. */
export const moreTexts: readonly string[] = [
  // YAML and files of variables.
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
  // Terminals and workflows.
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
  // Words of the language.
  'await',
  'Please await the next release',
  'async import yield return class */',
  'new Date()',
  'true',
  'null',
  '12:30',
];
