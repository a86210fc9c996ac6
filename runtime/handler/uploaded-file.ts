/** A file that came in as a part of a multipart request, in memory for as long as its request takes. */
export class UploadedFile {
  /**
   * `name` as the client gave it, without folders; `type` is its media type; `chunks` are its bytes in the order in which
   * they came, so that no copy of the whole is ever made.
   */
  constructor(
    readonly name: string,
    readonly type: string,
    readonly chunks: readonly Buffer[],
  ) {}
}
