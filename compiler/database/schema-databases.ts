/** Asks the databases that schemas make about the statements of a configuration. */
import {
  noAnswers,
  type AskedStatement,
  type DatabaseAnswers,
  type SchemaFault,
} from '../analyze/database-answers.js';
import type { Datasource } from '../config/config-model.js';
import type { Source } from '../source.js';
import type { Answer } from '../sql/answer.js';
import type { SqlStatement } from '../sql/statement.js';
import { KeptFiles } from './kept-files.js';
import { askSchema } from './postgres-schema.js';

/** The files of a database's schema; undefined where there is none. `names`: those of all databases. */
export type FindSchema = (name: string, names: readonly string[]) => readonly Source[] | undefined;

export class SchemaDatabases {
  constructor(
    private readonly find: FindSchema,
    private readonly files: KeptFiles = KeptFiles.ofUser('schemas', process.env),
  ) {}

  /** PostgreSQL alone: there is no MariaDB inside a process. */
  async ask(
    datasources: readonly Datasource[],
    questions: () => readonly AskedStatement[],
  ): Promise<DatabaseAnswers> {
    const databases = datasources.filter(({ type }) => type === 'db');
    const names = databases.map(({ name }) => name.value);
    const known = databases.flatMap((datasource) => {
      const sources = this.find(datasource.name.value, names);
      return sources === undefined || datasource.dialect !== 'postgresql' ? [] : [{ datasource, sources }];
    });
    if (known.length === 0) return noAnswers;
    const all = questions();
    const told: Told = { answers: new Map(), faults: [], tables: new Map(), whole: new Set() };
    for (const { datasource, sources } of known) {
      const own = all.filter((question) => question.datasource === datasource);
      await this.#ask(datasource, own, sources, told);
    }
    return {
      of: (statement) => told.answers.get(statement),
      faults: told.faults,
      isWhole: (datasource) => told.whole.has(datasource),
      tables: (datasource) => told.tables.get(datasource) ?? [],
    };
  }

  async #ask(
    datasource: Datasource,
    questions: readonly AskedStatement[],
    sources: readonly Source[],
    told: Told,
  ): Promise<void> {
    const search = searchPathOf(datasource);
    const found = await askSchema(
      sources,
      questions.map(({ text }) => text),
      { files: this.files, searchPath: search.path },
    );
    for (const asked of questions) {
      const answer = found.answers.get(asked.text);
      if (answer !== undefined) told.answers.set(asked.statement, { asked, answer });
    }
    told.faults.push(...found.faults);
    told.tables.set(datasource, found.tables);
    if (found.faults.length === 0 && search.isKnown && !questions.some(changesSchema))
      told.whole.add(datasource);
  }
}

interface Told {
  readonly answers: Map<SqlStatement, { readonly asked: AskedStatement; readonly answer: Answer }>;
  readonly faults: SchemaFault[];
  readonly tables: Map<Datasource, readonly string[]>;
  readonly whole: Set<Datasource>;
}

/** The search path that the datasource's URL gives; not known where the environment gives it. */
function searchPathOf({ url }: Datasource): { readonly path?: string; readonly isKnown: boolean } {
  const options = /\?(.*)$/s.exec(url?.value ?? '')?.[1] ?? '';
  const written = /(?:^|&)currentSchema=([^&]*)/.exec(options)?.[1];
  if (written === undefined)
    return { isKnown: !options.includes('${') && url?.value.startsWith('${') !== true };
  if (written.includes('${')) return { isKnown: false };
  try {
    return { path: decodeURIComponent(written), isKnown: true };
  } catch {
    return { isKnown: false };
  }
}

const schemaVerbs = new Set([
  'CREATE',
  'ALTER',
  'DROP',
  'DO',
  'CALL',
  'EXECUTE',
  'PREPARE',
  'DECLARE',
  'SET',
]);

/** Whether the statement may make tables, or change where they are looked for. */
function changesSchema({ statement: { verb, pieces } }: AskedStatement): boolean {
  return (
    schemaVerbs.has(verb) || (verb === 'SELECT' && pieces.bounds.items.some(({ word }) => word === 'INTO'))
  );
}
