/** Reads the JSON body of a request. Syntax errors are reported by position, without quoting the body. */
import type { IncomingMessage } from 'node:http';
import type { Call } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import { uncounted } from '../handler/memory.js';
import { JsonDepthError, parseJson } from '../handler/parse-json.js';
import { MediaTypeError, ServiceError } from '../handler/reply.js';
import { assertBodyIsThere, bodyTooLarge, decodeBody, readBodyBytes } from './body-bytes.js';
import type { BodyLimits, BodyReader } from './route.js';
import { withoutSpace } from './header-space.js';

/** A body reader for JSON. */
export const jsonBody: BodyReader = bodyReader(
  jsonFormat(/^(?:text\/json|application\/(?:json|[^\s;]+\+json))$/i),
);

/** A body reader for JSON with one of these media types, and no other. */
export function jsonBodyOf(types: readonly string[]): BodyReader {
  return bodyReader(jsonFormat(oneOf(types), types));
}

/** A body reader for strings with one of these media types. */
export function textBody(types: readonly string[]): BodyReader {
  return bodyReader({ isType: oneOf(types), types, parse: (text) => text });
}

/** Media types, and how their bodies are read. */
interface BodyFormat {
  /** Matches the media type without parameters. */
  readonly isType: RegExp;
  /** As named in messages. */
  readonly types: readonly string[];
  parse(text: string, limits: BodyLimits): Json;
}

function jsonFormat(isType: RegExp, types: readonly string[] = ['application/json']): BodyFormat {
  return { isType, types, parse: parseBody };
}

function oneOf(types: readonly string[]): RegExp {
  const escaped = types.map((type) => type.replaceAll(/[^\w/-]/g, String.raw`\$&`));
  return new RegExp(`^(?:${escaped.join('|')})$`, 'i');
}

function bodyReader(format: BodyFormat): BodyReader {
  return async ({ request }, call, limits, accept) => {
    assertBodyIsThere(request);
    const body = await readBody(request, format, call, limits, accept);
    call.body = body ?? null;
    return body;
  };
}

/**
 * The value of the body; undefined if missing or empty. `accept` is called before the body is read: clients with `Expect: 100-continue`
 * then send the body.
 * Throws a ServiceError: 413 too large, 503 not enough memory, 415 unsupported content type, character set or encoding, 400 invalid
 * UTF-8 or JSON, or too deeply nested.
 */
async function readBody(
  request: IncomingMessage,
  format: BodyFormat,
  call: Pick<Call, 'hold'>,
  limits: BodyLimits,
  accept: () => void,
): Promise<Json | undefined> {
  const length = request.headers['content-length'];
  const chunked = request.headers['transfer-encoding'] !== undefined;
  if (!chunked && (length === undefined || Number(length) === 0)) return undefined;

  const refusal = unsupported(request, format);
  if (refusal !== undefined && !chunked) throw refusal;
  if (Number(length) > limits.bodyLimit) throw bodyTooLarge(limits);
  accept();
  const bytes = await readBodyBytes(request, limits);
  if (bytes.length === 0) return undefined;
  // Only now is it known whether a chunked body is empty, which needs no content type.
  if (refusal !== undefined) throw refusal;
  if (bytes.length >= uncounted) call.hold?.(growth * bytes.length);
  return format.parse(decodeBody(bytes), limits);
}

/** Approximate memory of the parsed body and its string, relative to the bytes of the body. */
const growth = 4;

/** A media type, and its parameters. */
const contentType = /^\s*([^\s;]*)\s*(?:;(.*))?$/;
const charset = /(?:^|;)\s*charset="?([^\s;"]*)/i;

/** The error in the content type or encoding; undefined if both are valid. */
function unsupported(
  { headers }: IncomingMessage,
  { isType, types }: BodyFormat,
): MediaTypeError | undefined {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (withoutSpace(encoding).toLowerCase() !== 'identity') {
    return new MediaTypeError('The request body must not be compressed');
  }
  const type = headers['content-type'];
  // The content type of nearly all clients.
  if (type === types[0]) return undefined;
  const [, media = '', parameters = ''] = contentType.exec(type ?? '') ?? [];
  if (!isType.test(media))
    return new MediaTypeError(`The request body must have the content type ${types.join(' or ')}`);
  const named = charset.exec(parameters)?.[1] ?? 'utf-8';
  return /^utf-?8$/i.test(named) ? undefined : new MediaTypeError('The request body must be UTF-8');
}

function parseBody(text: string, limits: BodyLimits): Json {
  try {
    return parseJson(text, limits.bodyDepth);
  } catch (error) {
    if (error instanceof JsonDepthError) {
      throw new ServiceError(400, `The request body is nested deeper than ${limits.bodyDepth} levels`);
    }
    // The message of JSON.parse quotes the body.
    const found = jsonError(text);
    if (found === undefined) throw error;
    const position = `line ${found.line}, column ${found.column}`;
    throw new ServiceError(
      400,
      found.atEnd
        ? `The request body is not valid JSON: it ends too early, at ${position}`
        : `The request body is not valid JSON at ${position}`,
    );
  }
}

/** The position of the first invalid character. Lines and columns count from 1. */
interface JsonSyntaxError {
  readonly line: number;
  readonly column: number;
  /** Whether the only error is an unexpected end of input. */
  readonly atEnd: boolean;
}

/** The syntax error of a JSON text; undefined if it is valid. */
export function jsonError(text: string): JsonSyntaxError | undefined {
  const scanner = new Scanner(text);
  if (scanner.document()) return undefined;
  const lines = text.slice(0, scanner.index).split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1, atEnd: scanner.index >= text.length };
}

/** Characters by code: regular expressions are several times slower for bodies of a million characters. */
const code = {
  tab: 9,
  newline: 10,
  return: 13,
  space: 32,
  quote: 34,
  zero: 48,
  nine: 57,
  backslash: 92,
} as const;

/** Returns false for NaN, which marks the end of input; so does the next function. */
function isDigit(character: number): boolean {
  return character >= code.zero && character <= code.nine;
}

function isBlank(character: number): boolean {
  return (
    character === code.space ||
    character === code.newline ||
    character === code.return ||
    character === code.tab
  );
}

/**
 * Each method moves `index` past the syntax element in its name. If the element is missing, the method returns false, with `index` at
 * the error.
 */
class Scanner {
  index = 0;

  constructor(private readonly text: string) {}

  /** Avoids recursion, so that any depth is accepted. */
  document(): boolean {
    const closings: ('}' | ']')[] = [];
    for (;;) {
      this.blanks();
      const opened = this.opening();
      if (opened !== undefined) {
        closings.push(opened);
        this.blanks();
        // An empty array or object is complete; otherwise, the first element or key follows.
        if (!this.take(opened)) {
          if (opened === '}' && !this.key()) return false;
          continue;
        }
        closings.pop();
      } else if (!this.scalar()) {
        return false;
      }

      for (let closing = closings.at(-1); ; closing = closings.at(-1)) {
        this.blanks();
        if (closing === undefined) return this.index === this.text.length;
        if (this.take(closing)) {
          closings.pop();
        } else if (this.take(',')) {
          this.blanks();
          if (closing === '}' && !this.key()) return false;
          break;
        } else {
          return false;
        }
      }
    }
  }

  private opening(): '}' | ']' | undefined {
    if (this.take('{')) return '}';
    return this.take('[') ? ']' : undefined;
  }

  private key(): boolean {
    if (!this.string()) return false;
    this.blanks();
    return this.take(':');
  }

  private scalar(): boolean {
    const first = this.text[this.index] ?? '';
    if (first === '"') return this.string();
    if (first === 't') return this.word('true');
    if (first === 'f') return this.word('false');
    return first === 'n' ? this.word('null') : this.number();
  }

  private string(): boolean {
    if (!this.take('"')) return false;
    for (; this.index < this.text.length; this.index += 1) {
      const character = this.text.charCodeAt(this.index);
      if (character === code.quote) {
        this.index += 1;
        return true;
      }
      if (character < code.space) return false;
      if (character === code.backslash && !this.escape()) return false;
    }
    return false;
  }

  /** Leaves `index` at the last character of the escape sequence, as the loop over the string expects. */
  private escape(): boolean {
    this.index += 1;
    if (this.text[this.index] !== 'u') return /["\\/bfnrt]/.test(this.text[this.index] ?? '');
    for (let digits = 0; digits < 4; digits += 1) {
      this.index += 1;
      if (!/[0-9a-fA-F]/.test(this.text[this.index] ?? '')) return false;
    }
    return true;
  }

  private number(): boolean {
    this.take('-');
    if (!this.take('0') && !this.digits()) return false;
    if (this.take('.') && !this.digits()) return false;
    if (!this.take('e') && !this.take('E')) return true;
    if (!this.take('+')) this.take('-');
    return this.digits();
  }

  private digits(): boolean {
    const start = this.index;
    while (isDigit(this.text.charCodeAt(this.index))) this.index += 1;
    return this.index > start;
  }

  private word(word: string): boolean {
    for (const character of word) if (!this.take(character)) return false;
    return true;
  }

  private blanks(): void {
    while (isBlank(this.text.charCodeAt(this.index))) this.index += 1;
  }

  private take(character: string): boolean {
    if (this.text[this.index] !== character) return false;
    this.index += 1;
    return true;
  }
}
