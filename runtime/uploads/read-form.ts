/** Reads multipart requests with multer into memory, within limits. */
import { type Readable, type Writable, Transform, type TransformCallback } from 'node:stream';
import multer from 'multer';
import { asError, MediaTypeError, ServiceError } from '../handler/reply.js';
import { UploadedFile } from '../handler/call.js';
import type { Exchange } from '../http/exchange.js';
import type { Form, FormLimits } from '../http/route.js';
import { Texts } from '../http/texts.js';
import { MemoryBound, memoryBudget, MemoryShare } from '../handler/memory.js';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ClientGone } from '../http/http-call.js';
import { boundaryIn, Delimiters } from './delimiters.js';
import { withoutSpace } from '../http/header-space.js';

/** Bytes allowed for the head and boundary of a part. */
const headOfPart = 20 * 1024;

/** Maximum characters of a name. */
const maxNameLength = 1000;

/** The memory of all uploads in the process. */
const uploads = new MemoryBound((limit) => {
  const log = {
    reason: `uploads take more than ${Math.round(limit)} bytes of memory together (UPLOAD_MEMORY)`,
  };
  return new ServiceError(503, 'Too many uploads at a time', { retryAfter: 1, log });
});

/** A FormReader for multipart requests, with at most one file in a part. */
export const readForm: FormReader = (...request) => read(new Set(), ...request);

/** A FormReader for multipart requests. The named parts may be there several times, with a file each. */
export function readFormWith(parts: readonly string[]): FormReader {
  const several = new Set(parts);
  return (...request) => read(several, ...request);
}

type FormReader = (
  exchange: Pick<Exchange, 'request' | 'response'>,
  limits: FormLimits,
  accept: () => void,
) => Promise<Form>;

async function read(
  several: ReadonlySet<string>,
  ...[exchange, limits, accept]: Parameters<FormReader>
): Promise<Form> {
  const { headers } = exchange.request;
  if (!/^\s*multipart\/form-data\s*(?:;|$)/i.test(headers['content-type'] ?? ''))
    throw new MediaTypeError('The request body must have the content type multipart/form-data');
  if (withoutSpace(headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw new MediaTypeError('The request body must not be compressed');
  const max = limits.partLimit * (Math.max(limits.fileLimit, limits.bodyLimit) + headOfPart);
  if (Number(headers['content-length'] ?? 0) > max) throw tooLarge(max);
  accept();
  // The other half of the memory is reserved for results and responses.
  const memory = new MemoryShare(uploads, Math.min(limits.uploadMemory, memoryBudget.limit / 2), false);
  try {
    return formOf(await receive(exchange, limits, max, memory), several, memory);
  } catch (error) {
    memory.release();
    throw error;
  }
}

interface Received {
  readonly files: readonly FilePart[];
  readonly texts: Texts;
}

interface FilePart {
  readonly part: string;
  readonly file: UploadedFile;
}

/** The type declarations of multer require an Express request, but multer only needs a stream with headers. */
type MulterRequest = Parameters<ReturnType<multer.Multer['any']>>[0];

function receive(
  { request, response }: Pick<Exchange, 'request' | 'response'>,
  limits: FormLimits,
  max: number,
  memory: MemoryShare,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const files: FilePart[] = [];
    let texts: Texts | undefined;
    let delivered = 0;
    const body = new UploadStream(request, max, memory);
    const storage: multer.StorageEngine = {
      _handleFile(_request, { fieldname, originalname, mimetype, stream }, done) {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        // multer reports an exceeded limit only at the end of the file.
        stream.once('limit', () => {
          done(new Error('the file is too large'));
        });
        stream.once('end', () => {
          files.push({ part: fieldname, file: new UploadedFile(originalname, mimetype, chunks) });
          done(null, {});
        });
      },
      _removeFile(_request, _file, done) {
        done(null);
      },
    };
    const options = {
      storage,
      defParamCharset: 'utf8',
      limits: {
        fileSize: limits.fileLimit,
        fieldSize: limits.bodyLimit,
        files: limits.partLimit,
        fields: limits.partLimit,
        parts: limits.partLimit,
        fieldNameSize: maxNameLength,
      },
      streamHandler(_body: Readable, parser: Writable) {
        texts = new Texts();
        readTexts(parser, body, texts, limits);
        for (const event of ['field', 'file']) parser.on(event, () => (delivered += 1));
        refuseNamelessFiles(parser, body);
        // multer has finished, or found an error that it would only report after the whole body.
        parser.once('unpipe', () => body.destroy());
        body.pipe(parser);
      },
    };
    const receiveParts = multer(options).any();
    // Given the original request, multer would report errors only after the whole body, which a waiting client never sends.
    const multerRequest = body as unknown as MulterRequest;
    receiveParts(multerRequest, response as Parameters<typeof receiveParts>[1], (error: unknown) => {
      if (error !== undefined) reject(formErrorOf(error, limits));
      // multer did not treat the body as a form: it is missing, or has no boundary.
      else if (texts === undefined) reject(invalidForm());
      // busboy skips parts without a name.
      else if (body.parts > delivered) reject(new ServiceError(400, namelessPart));
      else resolve({ files, texts });
      body.destroy();
    });
  });
}

const namelessPart = "A part has no header 'Content-Disposition: form-data' that can be read";

interface TextPart {
  readonly nameTruncated: boolean;
  readonly valueTruncated: boolean;
}

/** Replaces the field handling of multer, which interprets brackets in names and loses parts of them. */
function readTexts(parser: Writable, body: UploadStream, texts: Texts, limits: FormLimits): void {
  parser.removeAllListeners('field');
  parser.on('field', (part: string | undefined, value: string | undefined, { valueTruncated }: TextPart) => {
    const code =
      part === undefined
        ? 'MISSING_FIELD_NAME'
        : part.length > maxNameLength
          ? 'LIMIT_FIELD_KEY'
          : valueTruncated
            ? 'LIMIT_FIELD_VALUE'
            : undefined;
    const name = nameOf(part ?? '');
    if (code !== undefined) body.destroy(partError(code, name, limits));
    else if (value === undefined)
      body.destroy(new ServiceError(400, `The part ${shown(name)} has a character set that is not known`));
    else texts.add(name, value);
  });
}

/** Decodes a field name like multer decodes file names: HTML forms escape these characters. */
function nameOf(written: string): string {
  return written.replaceAll(/%0A|%0D|%22/gi, decodeURIComponent);
}

/** Rejects files without a name, which multer ignores. */
function refuseNamelessFiles(parser: Writable, body: UploadStream): void {
  parser.on('file', (part: string | undefined, stream: Readable, { filename }: { filename?: string }) => {
    // Browsers send an empty file if none was chosen.
    if (filename === undefined || filename === '')
      stream.once('data', () =>
        body.destroy(new ServiceError(400, `The file ${shown(part ?? '')} has no name`)),
      );
  });
}

function formOf({ files, texts }: Received, several: ReadonlySet<string>, memory: MemoryShare): Form {
  const byName = new Map<string, UploadedFile>();
  const lists = new Map<string, UploadedFile[]>();
  texts.findBrackets();
  for (const { part, file } of files) {
    const list = several.has(part) ? (lists.get(part) ?? []) : undefined;
    if ((list === undefined && byName.has(part)) || texts.exactly(part) !== undefined)
      throw new ServiceError(400, `The part ${shown(part)} is there more than once`);
    if (list !== undefined) lists.set(part, [...list, file]);
    if (!byName.has(part)) byName.set(part, file);
  }
  return {
    texts,
    files: byName,
    lists,
    release() {
      memory.release();
    },
  };
}

function formErrorOf(error: unknown, limits: FormLimits): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof multer.MulterError) return partError(error.code, error.field ?? '', limits);
  return invalidForm(error);
}

function partError(code: string, part: string, limits: FormLimits): ServiceError {
  switch (code) {
    case 'LIMIT_FILE_SIZE':
      return new ServiceError(413, `The file ${shown(part)} is larger than ${limits.fileLimit} bytes`);
    case 'LIMIT_FIELD_VALUE':
      return new ServiceError(413, `The part ${shown(part)} is larger than ${limits.bodyLimit} bytes`);
    case 'LIMIT_PART_COUNT':
    case 'LIMIT_FILE_COUNT':
    case 'LIMIT_FIELD_COUNT':
      return new ServiceError(413, `The request has more than ${limits.partLimit} parts`);
    case 'LIMIT_FIELD_KEY':
      return new ServiceError(400, 'The name of a part is too long');
    case 'MISSING_FIELD_NAME':
      return new ServiceError(400, 'A part has no name');
    default:
      return invalidForm();
  }
}

function invalidForm(cause?: unknown): ServiceError {
  return new ServiceError(400, 'The request body is not a valid multipart form', { cause });
}

/** A name from the request, shortened and quoted. */
function shown(part: string): string {
  return JSON.stringify(part.length > 60 ? `${part.slice(0, 60)}…` : part);
}

/** Bytes. A client may send single bytes as chunks, each of which takes several hundred additional bytes of memory. */
const blockSize = 16 * 1024;

/**
 * Counts bytes, and passes them on in larger chunks. When the stream is destroyed, the rest of the request is discarded, so that the
 * client can read the response. If the client disconnects, the stream fails with ClientGone.
 */
class UploadStream extends Transform {
  /** Read by multer. */
  readonly headers: IncomingHttpHeaders;
  readonly #delimiters: Delimiters | undefined;
  #size = 0;
  #block = Buffer.alloc(0);
  #filled = 0;

  constructor(
    request: IncomingMessage,
    private readonly max: number,
    private readonly memory: MemoryShare,
  ) {
    super();
    this.headers = request.headers;
    const boundary = boundaryIn(request.headers['content-type'] ?? '');
    if (boundary !== undefined) this.#delimiters = new Delimiters(boundary);
    request.pipe(this);
    request.once('close', () => {
      if (!request.readableEnded) this.destroy(new ClientGone());
    });
    this.once('close', () => {
      request.unpipe(this);
      request.resume();
    });
  }

  /** The number of parts in the body. */
  get parts(): number {
    return this.#delimiters?.parts ?? 0;
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    this.#size += chunk.length;
    if (this.#size > this.max) {
      done(tooLarge(this.max));
      return;
    }
    try {
      this.memory.take(chunk.length);
    } catch (error) {
      done(asError(error));
      return;
    }
    this.#delimiters?.add(chunk);
    const isLarge = chunk.length >= blockSize / 2;
    // A large chunk is passed on directly even if it would fit into the block, so earlier bytes are passed on first.
    if (isLarge || chunk.length > blockSize - this.#filled) this.#handOn();
    if (isLarge) this.push(chunk);
    else this.#gather(chunk);
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#handOn();
    done();
  }

  #gather(chunk: Buffer): void {
    if (this.#filled === 0) this.#block = Buffer.allocUnsafe(blockSize);
    this.#filled += chunk.copy(this.#block, this.#filled);
  }

  #handOn(): void {
    if (this.#filled > 0) this.push(this.#block.subarray(0, this.#filled));
    this.#filled = 0;
  }
}

/** The error for a request that exceeds the total size of all parts. */
export function tooLarge(max: number): ServiceError {
  return new ServiceError(413, `The request body is larger than ${max} bytes`);
}
