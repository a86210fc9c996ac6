/** The body of a response whose joins copy bytes: the columns of its objects, and what these look up (decisions 8). */
import type { JoinedColumns, JoinedFields, JoinedLookUp } from '../../plan/operation-plan.js';
import { lineComment } from '../../../notation/typescript-writer.js';
import type { HandlerContext } from '../context.js';
import { propertyKey, stringLiteral } from '../../../notation/typescript-writer.js';
import type { MappedNames } from './mapped-body.js';

export class JoinedCells {
  readonly code: string;
  readonly #groups = new Map<string, { readonly comments: Set<string>; readonly code: string }>();

  constructor(
    { step, fields }: JoinedColumns,
    private readonly context: HandlerContext,
    private readonly names: MappedNames,
  ) {
    const join = context.module.runtime('joinCells');
    this.code = `await ${join}(call, ${context.variable(step)}, ${this.#fields(fields)})`;
  }

  get declarations(): string[] {
    return [...this.#groups.values()].map(({ comments, code }) => [...comments, code].join('\n'));
  }

  #fields(fields: JoinedFields): string {
    const lines = fields.map(([key, value]) => `${propertyKey(key)}: ${this.#value(value)},`);
    return `{\n${lines.join('\n')}\n}`;
  }

  /** `commentsByNewsId.every('id', { text: 'body' })` */
  #value(value: JoinedFields[number][1]): string {
    if (typeof value === 'string') return stringLiteral(value);
    if (!('objects' in value)) return this.#fields(value);
    const keys = value.join.keys.map(({ from }) => stringLiteral(from));
    const passed = keys.length === 1 ? keys.join('') : `[${keys.join(', ')}]`;
    return `${this.#groupsOf(value)}.${value.take}(${passed}, ${this.#fields(value.objects.fields)})`;
  }

  #groupsOf({ join: { to, keys, joins }, objects }: JoinedLookUp): string {
    const fields = keys.map((key) => key.to);
    const name = this.names.groups(to, fields);
    const comments = joins.map(({ condition }) => lineComment(`join: ${this.context.print(condition)}`));
    const known = this.#groups.get(name);
    for (const comment of comments) known?.comments.add(comment);
    if (known === undefined) {
      const passed = [this.context.variable(objects.step), ...fields.map(stringLiteral)].join(', ');
      const code = `const ${name} = ${this.context.module.runtime('cellsBy')}(${passed});`;
      this.#groups.set(name, { comments: new Set(comments), code });
    }
    return name;
  }
}
