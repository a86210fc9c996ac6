/** The compiler in its worker, as the page sees it. */
import type {
  FromCompiler,
  Project,
  ShownCompletion,
  ShownFile,
  ShownHover,
  ToCompiler,
} from './messages.js';

type Checked = Extract<FromCompiler, { kind: 'checked' }>;

export class CompilerClient {
  readonly #worker = new Worker(new URL('compiler-worker.js', import.meta.url), { type: 'module' });
  readonly #waiting = new Map<number, (answer: FromCompiler) => void>();
  #last = 0;
  #newest = 0;

  /** `onChecked` receives the results for the newest project, `onFailure` errors of the compiler itself. */
  constructor(
    private readonly onChecked: (checked: Checked) => void,
    private readonly onFailure: (message: string) => void,
  ) {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<FromCompiler>) => {
      this.#receive(data);
    });
    this.#worker.addEventListener('error', ({ message }) => {
      this.onFailure(message);
    });
  }

  #receive(answer: FromCompiler): void {
    const { id } = answer;
    if (answer.kind === 'checked') {
      if (id === this.#newest) this.onChecked(answer);
      return;
    }
    if (answer.kind === 'failed') this.onFailure(answer.message);
    this.#waiting.get(id)?.(answer);
    this.#waiting.delete(id);
  }

  check(project: Project): void {
    this.#newest = ++this.#last;
    this.#send({ kind: 'check', id: this.#newest, project });
  }

  async complete(text: string, offset: number): Promise<readonly ShownCompletion[]> {
    const answer = await this.#ask({ kind: 'complete', id: ++this.#last, text, offset });
    return answer.kind === 'completed' ? answer.completions : [];
  }

  async hover(text: string, offset: number): Promise<ShownHover | undefined> {
    const answer = await this.#ask({ kind: 'hover', id: ++this.#last, text, offset });
    return answer.kind === 'hovered' ? answer.hover : undefined;
  }

  /** The files of a checked project with the test page; undefined if there are errors. */
  async traced(project: Project): Promise<readonly ShownFile[] | undefined> {
    const answer = await this.#ask({ kind: 'trace', id: ++this.#last, project });
    return answer.kind === 'traced' ? answer.files : undefined;
  }

  #ask(question: ToCompiler): Promise<FromCompiler> {
    return new Promise((resolve) => {
      this.#waiting.set(question.id, resolve);
      this.#send(question);
    });
  }

  #send(message: ToCompiler): void {
    this.#worker.postMessage(message);
  }
}
