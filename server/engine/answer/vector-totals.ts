/**
 * What callers should know about vectors, as counts that travel with documents: in lines, jobs, summaries, the log and
 * metrics. A further count is added here, in the tables of jobs, and in the schemas of answers.
 */

/** The counts by the names that callers see, each with a message for the log. */
export const VECTOR_TOTALS = {
  embedding_empty: {
    level: 'warn',
    message:
      'embedding: the model knows no word of some texts, so no search will find them; use an embedding_model of their language',
  },
  embedding_fallback: {
    level: 'info',
    message:
      'embedding: some texts are in scripts that the model does not know, so their vectors are lexical; an embedding_model of their language finds more',
  },
  embedding_cut: {
    level: 'info',
    message:
      'embedding: some texts are longer than the window of the model, and were treated as long_texts says; a smaller chunk_size makes them fit',
  },
} as const;

type VectorTotal = keyof typeof VECTOR_TOTALS;
export type VectorTotals = Readonly<Record<VectorTotal, number>>;

const NAMES = Object.keys(VECTOR_TOTALS) as readonly VectorTotal[];

export const NO_VECTOR_TOTALS: VectorTotals = vectorTotals({});

/** The counts of anything that has them; those that are missing are 0. */
export function vectorTotals(given: Partial<VectorTotals>): VectorTotals {
  return Object.fromEntries(NAMES.map((name) => [name, given[name] ?? 0])) as VectorTotals;
}

/** The counts that are not 0. */
export function nonZeroTotals(totals: VectorTotals): Partial<VectorTotals> {
  return Object.fromEntries(NAMES.filter((name) => totals[name] > 0).map((name) => [name, totals[name]]));
}

export function addTotals(one: VectorTotals, other: VectorTotals): VectorTotals {
  return Object.fromEntries(NAMES.map((name) => [name, one[name] + other[name]])) as VectorTotals;
}

/** What the log takes. */
type Levels = Readonly<Record<'info' | 'warn', (details: object, message: string) => void>>;

/** Logs what is not 0. @param about further members of the lines */
export function logTotals(log: Levels, totals: Partial<VectorTotals>, about: object = {}): void {
  for (const name of NAMES) {
    const texts = totals[name] ?? 0;
    const { level, message } = VECTOR_TOTALS[name];
    if (texts > 0) log[level]({ ...about, texts }, message);
  }
}
