/** Parses the arguments of a Syntax A function one by one. */
import type { Expression } from '../ast.js';
import { spanBeside } from '../../source.js';
import { skipArgument } from './name-argument.js';
import { closeParenthesis } from './operators.js';
import type { Production, Scanner } from './scanner.js';

/** The form of a function, for messages. */
export interface Signature {
  readonly form: string;
  /** Suggests the intended call if the number of arguments is wrong. */
  readonly fix?: (written: string) => string | undefined;
}

export class Arguments {
  #state: 'open' | 'closed' | 'lost' = 'open';
  #count = 0;

  /**
   * @param scanner Positioned after the opening parenthesis, which is at `open`.
   * @param expression The production for arguments that are expressions.
   */
  constructor(
    readonly scanner: Scanner,
    readonly signature: Signature,
    readonly open: number,
    readonly expression: Production,
  ) {}

  /** True after the closing parenthesis: after the last argument, or after an error with a known end. */
  get closed(): boolean {
    return this.#state === 'closed';
  }

  /** Whether there are no arguments. */
  get empty(): boolean {
    return this.scanner.peek(/\s*\)/y) !== undefined;
  }

  /** Whether another argument follows. */
  get hasMore(): boolean {
    return this.#state === 'open' && this.scanner.peek(/\s*,/y) !== undefined;
  }

  /** The next argument; undefined after an error. */
  next<T>(read: (scanner: Scanner) => T | undefined): T | undefined {
    const { scanner } = this;
    if (this.#state !== 'open') return undefined;
    scanner.skipSpace();
    const separated = this.#count === 0 || scanner.take(',');
    scanner.skipSpace();
    if (scanner.next === ')' || (separated && scanner.next === ',')) {
      this.#wrongNumber(this.open);
      return undefined;
    }
    if (!separated || scanner.atEnd || scanner.next === ']') {
      this.#close();
      return undefined;
    }
    this.#count += 1;
    const argument = read(scanner);
    if (argument === undefined) this.#state = 'lost';
    return argument;
  }

  /** Reports that there are too few arguments. */
  refuse(): void {
    this.#wrongNumber(this.open);
  }

  /** The next argument, parsed as an expression. */
  nextExpression(): Expression | undefined {
    return this.next((scanner) => scanner.nested(() => this.expression(scanner)));
  }

  /** Parses the end of the arguments; false after an error. */
  end(): boolean {
    if (this.#state !== 'open') return false;
    this.scanner.skipSpace();
    if (this.#count === 0 && !this.empty && !this.scanner.atEnd) this.#wrongNumber(this.open);
    else if (this.scanner.next === ',') this.#wrongNumber(this.scanner.index);
    else return this.#close();
    return false;
  }

  #close(): boolean {
    this.#state = closeParenthesis(this.scanner, this.open) ? 'closed' : 'lost';
    return this.closed;
  }

  /** Reports an error from `start` to the end of the arguments. */
  #wrongNumber(start: number): void {
    const { scanner, signature } = this;
    do skipArgument(scanner);
    while (scanner.take(','));
    if (!this.#close()) return;
    const written = scanner.slice(this.open + 1, scanner.index - 1).trim();
    const end = start === this.open ? scanner.index : scanner.index - 1;
    const isValue = signature.form.startsWith('VALUE(') && start === this.open;
    const call = scanner.callAround(this.open);
    // In `VALUE(news).title`, the path follows the call.
    const behind = isValue
      ? scanner.peek(/(?:\.[\p{L}_][\p{L}\p{N}_-]*|\[\d+\])+(?![\p{L}\p{N}_-]|\s*\()/uy)
      : undefined;
    const whole =
      behind === undefined || call === undefined
        ? call
        : spanBeside(call, call.start, call.end + behind.length, call.scalar);
    if (behind !== undefined) scanner.index += behind.length;
    const fixed = signature.fix?.(written);
    scanner.errors.add('wrong-arguments', scanner.span(start, end), {
      form: signature.form,
      instead:
        fixed === undefined
          ? (withoutOthers(signature.form, written) ?? signature.form)
          : fixed.replace(/\$\)$/, () => `$${behind ?? ''})`),
      call: whole,
      isReordered: fixed !== undefined && isOtherOrder(fixed, written),
      isGuess: fixed === undefined || written.startsWith('$') || signature.form.startsWith('PARAM('),
    });
  }
}

/** Removes extra arguments: `news, $.a, $.b` → `VALUE(news, $.a)`. */
function withoutOthers(form: string, written: string): string | undefined {
  const [, name, path] = /^([\p{L}\p{N}_@-]+)\s*,\s*(\$[^,()]*),/u.exec(written) ?? [];
  return form.startsWith('VALUE(') && name !== undefined && path !== undefined
    ? `VALUE(${name}, ${path.trim()})`
    : undefined;
}

/** Whether the corrected call only reorders the arguments. */
function isOtherOrder(call: string, written: string): boolean {
  const partsOf = (text: string): string[] => text.split(',').map((part) => part.trim());
  const [fixed, given] = [partsOf(call.slice(call.indexOf('(') + 1, -1)), partsOf(written)];
  return fixed.join() !== given.join() && fixed.toSorted().join() === given.toSorted().join();
}
