/** The messages between the page and its two workers. */
import type { Trace } from '../../runtime/trace/steps.js';

/** The texts of the page's editors, by file name. */
export type Project = Readonly<
  Record<'config.yaml' | 'openapi.yaml' | 'schema.sql' | 'seed.sql' | '.env', string>
>;

export interface ShownDiagnostic {
  readonly file: keyof Project;
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly message: string;
  readonly from: number;
  readonly to: number;
  /** The position for readers, both from 1. */
  readonly line: number;
  readonly column: number;
  /** The edits of the fix, if there is one. */
  readonly fix?: readonly { readonly from: number; readonly to: number; readonly text: string }[];
}

export interface ShownFile {
  readonly path: string;
  readonly text: string;
}

/** The module of an operation, and where the operation begins in config.yaml. */
export interface ShownOperation {
  readonly path: string;
  readonly from: number;
}

export interface ShownCompletion {
  readonly label: string;
  readonly kind: string;
  readonly detail?: string | undefined;
  readonly about?: string | undefined;
  readonly insert: string;
  readonly from: number;
}

export interface ShownHover {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

export interface PageRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface PageResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export type ToCompiler =
  | { readonly kind: 'check'; readonly id: number; readonly project: Project }
  /** Asks for a checked project with the test page, whose handlers record their steps. */
  | { readonly kind: 'trace'; readonly id: number; readonly project: Project }
  | {
      readonly kind: 'complete' | 'hover';
      readonly id: number;
      readonly text: string;
      readonly offset: number;
    };

export type FromCompiler =
  /** `isWhole`: the database has checked the statements, and `files` are those of the service, undefined if there are errors. */
  | {
      readonly kind: 'checked';
      readonly id: number;
      readonly isWhole: boolean;
      readonly milliseconds: number;
      readonly diagnostics: readonly ShownDiagnostic[];
      readonly files?: readonly ShownFile[] | undefined;
      /** In their order; empty without files. */
      readonly operations?: readonly ShownOperation[] | undefined;
    }
  | { readonly kind: 'traced'; readonly id: number; readonly files: readonly ShownFile[] | undefined }
  | { readonly kind: 'completed'; readonly id: number; readonly completions: readonly ShownCompletion[] }
  | { readonly kind: 'hovered'; readonly id: number; readonly hover: ShownHover | undefined }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string };

export type ToService =
  /** Starts the service, in the database of before if there was one. */
  | {
      readonly kind: 'start';
      readonly id: number;
      readonly files: readonly ShownFile[];
      readonly project: Project;
    }
  /** `isTraced` needs a service with the test page. */
  | {
      readonly kind: 'request';
      readonly id: number;
      readonly request: PageRequest;
      readonly isTraced?: boolean;
    };

export type FromService =
  | { readonly kind: 'started'; readonly id: number }
  | {
      readonly kind: 'responded';
      readonly id: number;
      readonly response: PageResponse;
      readonly milliseconds: number;
      /** Undefined if no operation was called. */
      readonly trace?: Trace | undefined;
    }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string };
