/** The number of mutants for each class: a few, or all with SILENT_MUTANTS=all. */
const asked = process.env['SILENT_MUTANTS'];

export const maxMutants = asked === 'all' ? Number.POSITIVE_INFINITY : Number(asked ?? 2);
