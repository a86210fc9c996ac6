/** A generated TypeScript module. Imports are added as symbols are used. */
import type { Written } from '../../../notation/written.js';
import { printModule } from '../../code/print.js';
import {
  comment,
  importNames,
  name,
  type Comment,
  type Import,
  type ImportedName,
  type Name,
  type Statement,
} from '../../code/code.js';
import type { ReadValue } from '../../plan/requests/request-read.js';
import type { ReplyBody } from '../types/reply-bodies.js';
import type { ImportDeclaration } from './imports.js';
import {
  moduleOf,
  specifierOf,
  type RuntimeType,
  type RuntimeValue,
} from '../../plan/names/runtime-symbols.js';

export class Module {
  readonly #imports = new Map<string, Map<string, ImportedName>>();
  readonly #declarations: (readonly Statement[])[] = [];
  readonly #symbols = new Set<string>();
  #text: Written<'typescript'> | undefined;

  /** The reply of an operation's handler, if other operations call it. */
  replyBody: ReplyBody | undefined;

  /** The body of the operation's replies, as far as known; undefined for other modules. */
  replies: ReadValue | undefined;

  /** Inputs that the module passes to user functions, by function name. */
  readonly inputs = new Map<string, ReadValue>();

  constructor(
    /** Path relative to the service's folder. */
    readonly path: string,
    private readonly configName: string,
  ) {}

  /** Imports a runtime symbol and returns its name. */
  runtime(symbol: RuntimeValue | RuntimeType): Name {
    const { specifier, isType } = moduleOf(symbol);
    this.#symbols.add(symbol);
    return this.import(specifier, symbol, isType);
  }

  /** Runtime symbols that the module imports. */
  get symbols(): ReadonlySet<string> {
    return this.#symbols;
  }

  /** Imports a runtime validator and returns its name. */
  validator(symbol: string, typeOnly = false): Name {
    return this.import(specifierOf('validate'), symbol, typeOnly);
  }

  /** Imports a symbol from a package or a service module (a path without extension), and returns its name. */
  import(module: string, symbol: string, typeOnly = false): Name {
    return this.#add(module, { name: symbol, isType: typeOnly });
  }

  /** Imports a symbol from a service module under a different name, which is returned. */
  importAs(module: string, symbol: string, local: string): Name {
    return this.#add(module, { name: symbol, local, isType: false });
  }

  #add(module: string, imported: ImportedName): Name {
    const { name: symbol, local = symbol } = imported;
    const names = this.#imports.get(module) ?? new Map<string, ImportedName>();
    names.set(local, imported);
    this.#imports.set(module, names);
    return name(local);
  }

  /** Adds a declaration, preceded by its comments. */
  add(...declaration: readonly Statement[]): void {
    this.#declarations.push(declaration);
  }

  /** All imports of the module, in printed order. */
  get imports(): readonly ImportDeclaration[] {
    return [...this.#imports]
      .map(([module, symbols]) => this.#importOf(module, symbols))
      .sort((a, b) => compareModules(a.specifier, b.specifier));
  }

  /** The printed module before formatting. */
  get text(): Written<'typescript'> {
    return this.#text ?? this.finish();
  }

  /** Prints the module; nothing can be added afterwards. The tree is discarded, because a thousand trees use too much memory. */
  finish(): Written<'typescript'> {
    // Imports directly follow the header; other code is separated by a blank line.
    const head = [header(this.configName), ...this.imports.map(importOf)];
    this.#text = printModule([head, ...this.#declarations.splice(0)]);
    return this.#text;
  }

  #specifier(module: string): string {
    return module.startsWith('@') ? module : `${relativePath(this.path, module)}.js`;
  }

  #importOf(module: string, symbols: ReadonlyMap<string, ImportedName>): ImportDeclaration {
    const names = [...symbols.values()];
    return {
      specifier: this.#specifier(module),
      names: names.sort((a, b) => Number(a.isType) - Number(b.isType) || compareNames(a.name, b.name)),
    };
  }
}

function importOf({ names, specifier }: ImportDeclaration): Import {
  return importNames(names, specifier);
}

/** The first line of every generated source file. */
export function header(configName: string): Comment {
  return comment(`Generated from ${configName}. Do not edit: change ${configName} and build again.`);
}

function relativePath(from: string, to: string): string {
  const folders = from.split('/').slice(0, -1);
  const target = to.split('/');
  let shared = 0;
  while (shared < folders.length && folders[shared] === target[shared]) shared += 1;
  const up = '../'.repeat(folders.length - shared);
  return `${up === '' ? './' : up}${target.slice(shared).join('/')}`;
}

/** Packages first, then distant modules before near ones; ties are sorted by code unit. */
function compareModules(a: string, b: string): number {
  const depth = (path: string): number => (path.startsWith('@') ? Infinity : path.split('../').length);
  if (depth(a) !== depth(b)) return depth(b) > depth(a) ? 1 : -1;
  return a < b ? -1 : 1;
}

/** Case-insensitive, then by code unit. Types follow values. */
function compareNames(a: string, b: string): number {
  const [lowerA, lowerB] = [a.toLowerCase(), b.toLowerCase()];
  const [one, other] = lowerA === lowerB ? [a, b] : [lowerA, lowerB];
  return one < other ? -1 : 1;
}
