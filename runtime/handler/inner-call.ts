/** A call inside another call, which inherits everything that it does not define. */
import type { Call, RequestUrl, UploadedFile } from './call.js';
import type { Json, JsonObject } from './json.js';

export abstract class InnerCall implements Call {
  abstract readonly depth: number;

  constructor(protected readonly outer: Call) {}

  get root(): Call {
    return this.outer.root ?? this.outer;
  }

  param(name: string): Json {
    return this.outer.param(name);
  }

  header(name: string): string | null {
    return this.outer.header(name);
  }

  query(name: string): Json {
    return this.outer.query(name);
  }

  cookie(name: string): string | null {
    return this.outer.cookie(name);
  }

  get url(): RequestUrl | undefined {
    return this.outer.url;
  }

  get caller(): JsonObject | null {
    return this.outer.caller;
  }

  isDeclared(name: string): boolean {
    return this.outer.isDeclared?.(name) === true;
  }

  file(part: string): UploadedFile | null {
    return this.outer.file(part);
  }

  files(part: string): UploadedFile[] {
    return this.outer.files(part);
  }

  get body(): Json {
    return this.outer.body;
  }

  get deadline(): number {
    return this.outer.deadline;
  }

  get transaction(): object | undefined {
    return this.outer.transaction;
  }

  get requestId(): string | undefined {
    return this.outer.requestId;
  }

  get signal(): AbortSignal | undefined {
    return this.outer.signal;
  }

  onDisconnect(run: () => void): () => void {
    return this.outer.onDisconnect?.(run) ?? (() => undefined);
  }

  proceed(now?: number): void {
    this.outer.proceed(now);
  }
}
