/** Reads multipart requests with multer, into memory, within bounds (decisions 6.7, 9.6). */
import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import multer from 'multer';
import type { Json } from '../json.js';
import { ServiceError } from '../service-error.js';
import { UploadedFile } from '../uploaded-file.js';
import type { Form, FormLimits } from './form.js';
import { ClientGone } from './http-call.js';
import { UploadMemory } from './upload-memory.js';

/** Bytes of the head of a part and the line that separates it. */
const headOfPart = 20 * 1024;

/** A FormReader. */
export async function readForm(
  request: IncomingMessage,
  limits: FormLimits,
  accept: () => void,
): Promise<Form> {
  const { headers } = request;
  if (!/^\s*multipart\/form-data\s*;/i.test(headers['content-type'] ?? ''))
    throw new ServiceError(415, 'The request body must have the content type multipart/form-data');
  if ((headers['content-encoding'] ?? 'identity').trim().toLowerCase() !== 'identity')
    throw new ServiceError(415, 'The request body must not be compressed');
  const most = limits.partLimit * (Math.max(limits.fileLimit, limits.bodyLimit) + headOfPart);
  if (Number(headers['content-length'] ?? 0) > most) throw tooLarge(most);
  accept();
  const memory = new UploadMemory(limits.uploadMemory);
  try {
    return formOf(await receive(request, limits, most, memory), memory);
  } catch (error) {
    memory.release();
    throw error;
  }
}

interface Received {
  readonly files: readonly FilePart[];
  /** Texts by name; an array where the name is there more than once. */
  readonly texts: Readonly<Record<string, Json>>;
}

interface FilePart {
  readonly part: string;
  readonly file: UploadedFile;
}

/** What multer's types say of its own request is Express's; it needs no more than Node's. */
type MulterRequest = Parameters<ReturnType<multer.Multer['any']>>[0];

function receive(
  request: IncomingMessage,
  limits: FormLimits,
  most: number,
  memory: UploadMemory,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const files: FilePart[] = [];
    /** multer tells an error only when the client has sent everything: these are told at once. */
    let parser: Writable | undefined;
    const refuse = (error: unknown): void => {
      // The parser may be in the middle of what it was given, and would not survive it there.
      setImmediate(() => {
        if (parser !== undefined) request.unpipe(parser);
        parser?.destroy();
        request.resume();
      });
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const storage: multer.StorageEngine = {
      _handleFile(_request, { fieldname, originalname, mimetype, stream }, done) {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.once('limit', () => {
          refuse(fault('LIMIT_FILE_SIZE', fieldname, limits));
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
        fieldNameSize: 1000,
        fieldNestingDepth: 0,
      },
      streamHandler(incoming: Readable, busboy: Writable) {
        parser = busboy;
        let size = 0;
        incoming.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (busboy.destroyed) return;
          try {
            if (size > most) throw tooLarge(most);
            memory.take(chunk.length);
          } catch (error) {
            refuse(error);
          }
        });
        incoming.pipe(busboy);
      },
    };
    const read = multer(options).any();
    // multer never touches the response.
    const unused = new ServerResponse(request);
    read(request as MulterRequest, unused as Parameters<typeof read>[1], (error: unknown) => {
      if (error === undefined) {
        resolve({ files, texts: Reflect.get(request, 'body') as Received['texts'] });
      } else if (request.destroyed && !request.readableEnded) reject(new ClientGone());
      else reject(faultOf(error, limits));
    });
  });
}

function formOf({ files, texts }: Received, memory: UploadMemory): Form {
  const byName = new Map<string, UploadedFile>();
  for (const { part, file } of files) {
    if (byName.has(part) || Object.hasOwn(texts, part))
      throw new ServiceError(400, `The part ${shown(part)} is there more than once`);
    byName.set(part, file);
  }
  return {
    texts: new Map(Object.entries(texts)),
    files: byName,
    release() {
      memory.release();
    },
  };
}

function faultOf(error: unknown, limits: FormLimits): ServiceError {
  if (error instanceof multer.MulterError) return fault(error.code, error.field ?? '', limits);
  return new ServiceError(400, 'The request body is not a valid multipart form', { cause: error });
}

function fault(code: string, part: string, limits: FormLimits): ServiceError {
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
    case 'LIMIT_FIELD_NESTING':
      return new ServiceError(400, `The name of the part ${shown(part)} has brackets`);
    case 'MISSING_FIELD_NAME':
      return new ServiceError(400, 'A part has no name');
    default:
      return new ServiceError(400, 'The request body is not a valid multipart form');
  }
}

function tooLarge(most: number): ServiceError {
  return new ServiceError(413, `The request body is larger than ${most} bytes`);
}

/** A name that came from outside: short, in quotes. */
function shown(part: string): string {
  return JSON.stringify(part.length > 60 ? `${part.slice(0, 60)}…` : part);
}
