/** Modules without types. */
declare module 'readable-stream' {
  export {
    Duplex,
    finished,
    PassThrough,
    pipeline,
    Readable,
    Stream,
    Transform,
    Writable,
  } from 'node:stream';
}

/** Written by `build.mjs`: loads each part of the runtime by its name. */
declare module 'runtime-parts' {
  export const runtimeParts: Readonly<Record<string, (() => Promise<unknown>) | undefined>>;
}
