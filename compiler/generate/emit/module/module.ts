/** One generated TypeScript module: imports write themselves as symbols are used. */
import { commentText } from '../../../notation/typescript-writer.js';
import type { ReadValue } from '../../plan/request-read.js';
import type { ReplyBody } from '../types/reply-bodies.js';
import { importText, type ImportDeclaration } from './imports.js';
import {
  moduleOf,
  specifierOf,
  type RuntimeType,
  type RuntimeValue,
} from '../../plan/names/runtime-symbols.js';

/** A declaration at module level: its text, ready for formatting. */
export type Declaration = string;

export class Module {
  readonly #imports = new Map<string, Map<string, boolean>>();
  readonly #declarations: Declaration[] = [];
  readonly #symbols = new Set<string>();

  /** The reply of an operation's handler, if other operations call it. */
  replyBody: ReplyBody | undefined;

  /** The body of an operation's replies, as far as it is known; undefined for other modules. */
  replies: ReadValue | undefined;

  /** What it passes to own code, by the name of the function. */
  readonly inputs = new Map<string, ReadValue>();

  constructor(
    /** Path below the service's folder. */
    readonly path: string,
    private readonly configName: string,
  ) {}

  /** Imports a symbol of the runtime and returns its name. */
  runtime(symbol: RuntimeValue | RuntimeType): string {
    const { specifier, isType } = moduleOf(symbol);
    this.#symbols.add(symbol);
    return this.import(specifier, symbol, isType);
  }

  /** The symbols of the runtime that it imports. */
  get symbols(): ReadonlySet<string> {
    return this.#symbols;
  }

  /** Imports a validator of the runtime and returns its name. */
  validator(symbol: string, typeOnly = false): string {
    return this.import(specifierOf('validate'), symbol, typeOnly);
  }

  /** Imports a symbol of a package, or of a module of the service (a path without ending), and returns its name. */
  import(module: string, symbol: string, typeOnly = false): string {
    const symbols = this.#imports.get(module) ?? new Map<string, boolean>();
    symbols.set(symbol, typeOnly);
    this.#imports.set(module, symbols);
    return symbol;
  }

  add(declaration: Declaration): void {
    this.#declarations.push(declaration);
  }

  /** All of its imports, in the order in which they are written. */
  get imports(): readonly ImportDeclaration[] {
    return [...this.#imports]
      .map(([module, symbols]) => this.#importOf(module, symbols))
      .sort((a, b) => compareModules(a.specifier, b.specifier));
  }

  /** Its text, ready for formatting. */
  get text(): string {
    // Imports follow the header directly; other code is separated from it.
    const head = [header(this.configName), ...this.imports.map(importText)].join('\n');
    return `${[head, ...this.#declarations].join('\n\n')}\n`;
  }

  #specifier(module: string): string {
    return module.startsWith('@') ? module : `${relativePath(this.path, module)}.js`;
  }

  #importOf(module: string, symbols: ReadonlyMap<string, boolean>): ImportDeclaration {
    const names = [...symbols].map(([name, isType]) => ({ name, isType }));
    return {
      specifier: this.#specifier(module),
      names: names.sort((a, b) => Number(a.isType) - Number(b.isType) || compareNames(a.name, b.name)),
    };
  }
}

/** The first line of every generated source file. */
export function header(configName: string): string {
  return `// Generated from ${commentText(configName)}. Do not edit: change ${commentText(configName)} and build again.`;
}

function relativePath(from: string, to: string): string {
  const folders = from.split('/').slice(0, -1);
  const target = to.split('/');
  let shared = 0;
  while (shared < folders.length && folders[shared] === target[shared]) shared += 1;
  const up = '../'.repeat(folders.length - shared);
  return `${up === '' ? './' : up}${target.slice(shared).join('/')}`;
}

/** Packages first, then farther modules, as people order them; then by code unit. */
function compareModules(a: string, b: string): number {
  const depth = (path: string): number => (path.startsWith('@') ? Infinity : path.split('../').length);
  if (depth(a) !== depth(b)) return depth(b) > depth(a) ? 1 : -1;
  return a < b ? -1 : 1;
}

/** By letters without case, as people read lists of names; then by code unit. Types follow values. */
function compareNames(a: string, b: string): number {
  const [lowerA, lowerB] = [a.toLowerCase(), b.toLowerCase()];
  const [one, other] = lowerA === lowerB ? [a, b] : [lowerA, lowerB];
  return one < other ? -1 : 1;
}
