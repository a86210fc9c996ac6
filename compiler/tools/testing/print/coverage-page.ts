/** Coverage as a self-contained HTML page that shows the configuration line by line, for any screen size. */
import { joined, type Written } from '../../../notation/written.js';
import { html } from '../../../notation/markup-writer.js';
import { secretsOf } from '../../../read/diagnostics/secrets/secrets.js';
import {
  lineOf,
  sharedStarts,
  type Coverage,
  type CoveredFile,
  type CoveredItem,
  type CoverageShare,
} from '../coverage.js';

const style = html`
:root { color-scheme: light dark; --text: #1c2026; --soft: #5c6570; --page: #fff; --panel: #f5f6f8; --line: #dfe3e8;
  --hit: #1f7a3d; --hit-page: #e4f5e9; --part: #8a5a00; --part-page: #fff3d6; --miss: #b3261e; --miss-page: #fde7e5; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ee; --soft: #9aa4b0; --page: #14171b; --panel: #1d2127; --line: #313843;
  --hit: #6fd08c; --hit-page: #15301f; --part: #e9b949; --part-page: #352a10; --miss: #ff8a80; --miss-page: #3b1a18; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 70rem; padding: 1rem; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.35rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { margin: 0 0 1rem; color: var(--soft); }
.total { font-size: 2rem; font-weight: 650; color: var(--text); }
ul.operations { list-style: none; margin: 0; padding: 0; border: 1px solid var(--line); border-radius: .5rem; overflow: hidden; }
ul.operations li { display: flex; flex-wrap: wrap; gap: .1rem 1rem; padding: .5rem .75rem; border-top: 1px solid var(--line); background: var(--panel); }
ul.operations li:first-child { border-top: 0; }
ul.operations a { flex: 1 1 14rem; min-width: 0; overflow-wrap: anywhere; color: inherit; font-weight: 600; }
ul.operations span { color: var(--soft); font-variant-numeric: tabular-nums; }
.hit { color: var(--hit) !important; } .part { color: var(--part) !important; } .miss { color: var(--miss) !important; }
.source { border: 1px solid var(--line); border-radius: .5rem; overflow: hidden; font: .82rem/1.5 ui-monospace, Menlo, Consolas, monospace; }
.row { display: grid; grid-template-columns: 3.2em minmax(0, 1fr); }
.row > a { padding: 0 .6em; text-align: right; color: var(--soft); text-decoration: none; user-select: none; border-right: 1px solid var(--line); }
.row code { font: inherit; padding: 0 .75em; white-space: pre-wrap; overflow-wrap: anywhere; min-height: 1.5em; }
.row.is-hit code { background: var(--hit-page); } .row.is-part code { background: var(--part-page); } .row.is-miss code { background: var(--miss-page); }
.note { display: block; font: .75rem/1.4 system-ui, sans-serif; padding: 0 0 .15rem; }
.filter { display: block; margin: 1rem 0; }
summary { cursor: pointer; margin: 1.5rem 0 .5rem; overflow-wrap: anywhere; }
summary h2 { display: inline; margin: 0; }
body:has(#missing:checked) :is(.row:not(.is-miss, .is-part, :target), li.is-full) { display: none; }
.row:target > a { background: var(--text); color: var(--page); }
`;

/** Strings from the configuration are escaped, and the page has no scripts. */
export function coveragePage(coverage: Coverage): Written<'html'> {
  const { files, operations, summary } = coverage;
  const [{ source }] = files;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Coverage of ${html.text(source.path)}</title>
<style>${style}</style>
</head>
<body>
<h1>Coverage of ${html.text(source.path)}</h1>
<p><span class="total">${percentOf(summary)} %</span><br>${shares(summary)}</p>
<ul class="operations">
${joined(
  operations.map((operation) => operationItem(operation, files)),
  '\n',
)}
</ul>
<label class="filter"><input type="checkbox" id="missing"> Only what is not reached</label>
${joined(
  files.map((file, index) => filePart(file, prefixOf(index))),
  '',
)}</body>
</html>
`;
}

/** The lines of one file. */
function filePart({ source, items }: CoveredFile, prefix: Written<'html'>): Written<'html'> {
  const byLine = new Map<number, CoveredItem[]>();
  const shared = sharedStarts(items);
  for (const item of items) byLine.set(lineOf(item), [...(byLine.get(lineOf(item)) ?? []), item]);
  // Pages are shared, so passwords of the configuration are masked.
  const lines = secretsOf(source).masked(0, source.text.length).split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return html`<details open>
<summary><h2>${html.text(source.path)}</h2></summary>
<div class="source">
${joined(
  lines.map((line, index) => row(line, index + 1, byLine.get(index + 1) ?? [], shared, prefix)),
  '\n',
)}
</div>
</details>
`;
}

/** Prefix of a file's line ids. */
function prefixOf(index: number): Written<'html'> {
  return index === 0 ? html`line-` : html`file-${index + 1}-line-`;
}

function operationItem(
  { name, summary }: Coverage['operations'][number],
  files: readonly CoveredFile[],
): Written<'html'> {
  const index = files.findIndex(({ items }) => items.some(({ operation }) => operation === name));
  const first = files[index]?.items.find(({ operation }) => operation === name);
  const link = first === undefined ? html`` : html` href="#${prefixOf(index)}${lineOf(first)}"`;
  const kind = summary.percent === 100 ? html`hit` : summary.percent === 0 ? html`miss` : html`part`;
  const full = summary.percent === 100 ? html` class="is-full"` : html``;
  return html`<li${full}><a${link}>${html.text(name)}</a><span class="${kind}">${percentOf(summary)} %</span><span>${shares(summary)}</span></li>`;
}

function percentOf({ percent }: Coverage['summary']): Written<'html'> {
  return html.text(percent.toFixed(1));
}

function shares({ steps, conditions, responses }: Coverage['summary']): Written<'html'> {
  const share = (name: string, { covered, total }: CoverageShare): string[] =>
    total === 0 ? [] : [`${covered} of ${total} ${name}`];
  const all = [
    ...share('steps', steps),
    ...share('conditions', conditions),
    ...share('responses', responses),
  ];
  return html.text(all.join(', '));
}

function row(
  text: string,
  line: number,
  items: readonly CoveredItem[],
  shared: ReadonlySet<number>,
  prefix: Written<'html'>,
): Written<'html'> {
  const counts = items.flatMap((item) => item.counts);
  const kind =
    counts.length === 0
      ? undefined
      : counts.every((count) => count > 0)
        ? html`hit`
        : counts.every((count) => count === 0)
          ? html`miss`
          : html`part`;
  const state = kind === undefined ? html`` : html` is-${kind}`;
  const notes = items.map(
    (item) =>
      html`<span class="note ${kind ?? html``}">${html.text(noteOf(item, shared.has(item.span.start)))}</span>`,
  );
  return html`<div class="row${state}" id="${prefix}${line}"><a href="#${prefix}${line}">${line}</a><code>${html.text(text)}${joined(notes, '')}</code></div>`;
}

/** `isShared`: whether the note names the operation, because others use the same line. */
function noteOf(item: CoveredItem, isShared: boolean): string {
  const what = isShared ? `${item.what} of ${item.operation}` : item.what;
  const [first = 0, second = 0] = item.counts;
  if (item.kind !== 'condition') return `${what}: ${first === 0 ? 'not reached' : times(first)}`;
  return `${what}: ${first + second === 0 ? 'not reached' : `true ${times(first)}, false ${times(second)}`}`;
}

function times(count: number): string {
  if (count === 0) return 'never';
  return count === 1 ? 'once' : `${count} times`;
}
