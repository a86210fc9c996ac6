/** The editors of the page: the source with diagnostics, completions and hovers, and the generated file, which is read-only. */
import { autocompletion, closeBrackets, completionKeymap, type Completion } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { PostgreSQL, sql } from '@codemirror/lang-sql';
import { yaml } from '@codemirror/lang-yaml';
import {
  bracketMatching,
  defaultHighlightStyle,
  foldGutter,
  HighlightStyle,
  syntaxHighlighting,
} from '@codemirror/language';
import { lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { color, oneDarkHighlightStyle, oneDarkTheme } from '@codemirror/theme-one-dark';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  hoverTooltip,
  keymap,
  lineNumbers,
  type Tooltip,
} from '@codemirror/view';
import { isDark } from './appearance.js';
import type { CompilerClient } from './compiler-client.js';
import type { Project, ShownDiagnostic } from './messages.js';

const gray = '#a3abb5';
/** Colors of the theme with too little contrast for text, and brighter ones. */
const brighter: Readonly<Record<string, string>> = { [color.stone]: gray, [color.coral]: '#f08a92' };
const dark: Extension = [
  EditorView.theme({ '.cm-gutters': { color: gray } }, { dark: true }),
  oneDarkTheme,
  syntaxHighlighting(
    HighlightStyle.define(
      oneDarkHighlightStyle.specs.map((spec) => {
        const { color: own } = spec as { readonly color?: string };
        return { ...spec, color: (own === undefined ? undefined : brighter[own]) ?? own };
      }),
    ),
  ),
];

const look: Extension = [
  lineNumbers(),
  foldGutter(),
  drawSelection(),
  bracketMatching(),
  highlightSelectionMatches(),
  isDark ? dark : syntaxHighlighting(defaultHighlightStyle),
  EditorView.theme({ '&': { height: '100%' }, '.cm-scroller': { fontFamily: 'ui-monospace, monospace' } }),
];

/** The name of an editor for assistive technology. It can have the focus even if it is read-only. */
function named(label: string): Extension {
  return EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' });
}

function languageOf(path: string): Extension {
  if (path.endsWith('.sql')) return sql({ dialect: PostgreSQL });
  if (/\.ya?ml$/.test(path)) return yaml();
  return /\.(?:ts|json)$/.test(path) ? javascript({ typescript: true }) : [];
}

export class SourceEditor {
  readonly #view: EditorView;
  readonly #states = new Map<keyof Project, EditorState>();
  #file: keyof Project = 'config.yaml';
  #diagnostics: readonly ShownDiagnostic[] = [];

  /** `onEdit` is called after each change, and `onMove` with each position of the cursor in config.yaml. */
  constructor(
    parent: Element,
    private readonly compiler: CompilerClient,
    private readonly onEdit: () => void,
    private readonly onMove: (offset: number) => void,
  ) {
    this.#view = new EditorView({ parent, extensions: named('Source') });
  }

  open(project: Project): void {
    this.#states.clear();
    this.#diagnostics = [];
    for (const file of Object.keys(project) as (keyof Project)[])
      this.#states.set(file, EditorState.create({ doc: project[file], extensions: this.#extensions(file) }));
    this.#view.setState(this.#stateOf('config.yaml'));
    this.#file = 'config.yaml';
  }

  /** Shows another file of the project. */
  show(file: keyof Project): void {
    this.#states.set(this.#file, this.#view.state);
    this.#file = file;
    this.#view.setState(this.#stateOf(file));
    this.#mark();
  }

  project(): Project {
    this.#states.set(this.#file, this.#view.state);
    const texts = [...this.#states].map(([file, state]) => [file, state.doc.toString()] as const);
    return Object.fromEntries(texts) as Project;
  }

  setDiagnostics(diagnostics: readonly ShownDiagnostic[]): void {
    this.#diagnostics = diagnostics;
    this.#mark();
  }

  /** Moves the cursor to a diagnostic of the shown file. */
  select({ from, to }: ShownDiagnostic): void {
    this.#view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
    this.#view.focus();
  }

  apply(edits: NonNullable<ShownDiagnostic['fix']>): void {
    this.#view.dispatch({ changes: edits.map(({ from, to, text }) => ({ from, to, insert: text })) });
    this.#view.focus();
  }

  #stateOf(file: keyof Project): EditorState {
    return this.#states.get(file) ?? EditorState.create();
  }

  #mark(): void {
    const { length } = this.#view.state.doc;
    const own = this.#diagnostics.filter(({ file, to }) => file === this.#file && to <= length);
    const marks = own.map(({ from, to, severity, message, code, fix }): Diagnostic => ({
      ...{ from, to: Math.max(to, Math.min(from + 1, length)), severity, message, source: code },
      actions:
        fix === undefined
          ? []
          : [
              {
                name: 'Fix',
                apply: () => {
                  this.apply(fix);
                },
              },
            ],
    }));
    this.#view.dispatch(setDiagnostics(this.#view.state, marks));
  }

  #extensions(file: keyof Project): Extension {
    return [
      look,
      languageOf(file),
      history(),
      closeBrackets(),
      highlightActiveLine(),
      lintGutter(),
      named(file),
      EditorView.contentAttributes.of({ 'aria-description': 'Escape, then Tab, leaves the editor.' }),
      keymap.of([...completionKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
      EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
        if (docChanged) this.onEdit();
        if (selectionSet && file === 'config.yaml') this.onMove(state.selection.main.head);
      }),
      // Every file has completions: those that arrive after another file was opened would find no field for them.
      ...(file === 'config.yaml' ? [this.#completions(), this.#hovers()] : [autocompletion()]),
    ];
  }

  #completions(): Extension {
    return autocompletion({
      override: [
        async (context) => {
          const { state, pos, explicit } = context;
          if (!explicit && /[\w.(:$]$/.exec(state.sliceDoc(Math.max(0, pos - 1), pos)) === null) return null;
          const offered = await this.compiler.complete(state.doc.toString(), pos);
          // A word that is complete needs no list, in which Enter would choose instead of beginning a line.
          const word = context.matchBefore(/[\w$]+/)?.text;
          const found = explicit ? offered : offered.filter(({ label }) => label !== word);
          const [first] = found;
          if (first === undefined) return null;
          const options = found.map(({ label, kind, detail, about, insert }): Completion => ({
            ...{
              label,
              apply: insert,
              type: kind === 'field' ? 'property' : kind === 'name' ? 'variable' : kind,
            },
            ...(detail === undefined ? {} : { detail }),
            ...(about === undefined ? {} : { info: () => textElement(about) }),
          }));
          return {
            from: Math.min(first.from, context.matchBefore(/\w*/)?.from ?? pos),
            options,
            filter: true,
          };
        },
      ],
    });
  }

  #hovers(): Extension {
    return hoverTooltip(async (view, position): Promise<Tooltip | null> => {
      const hover = await this.compiler.hover(view.state.doc.toString(), position);
      if (hover === undefined) return null;
      return {
        pos: hover.from,
        end: hover.to,
        above: true,
        create: () => ({ dom: textElement(hover.text) }),
      };
    });
  }
}

/** Markdown as text: its marks of code and of bold are left out. */
function textElement(markdown: string): HTMLElement {
  const element = document.createElement('div');
  element.className = 'about';
  element.textContent = markdown.replaceAll(/^```\w*\n?|`|\*\*/gm, '').replaceAll(/\\([^\w\s])/g, '$1');
  return element;
}

export class GeneratedView {
  readonly #view: EditorView;

  constructor(parent: Element) {
    this.#view = new EditorView({ parent, extensions: named('Generated file') });
  }

  show(path: string, text: string): void {
    const extensions = [look, languageOf(path), EditorState.readOnly.of(true), named(path)];
    this.#view.setState(EditorState.create({ doc: text, extensions }));
  }
}
