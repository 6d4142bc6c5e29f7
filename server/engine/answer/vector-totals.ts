/**
 * What callers should know about vectors, as counts that travel with documents: in lines, jobs, summaries, the log and
 * metrics. A further count is added here, in the tables of jobs, and in the schemas of answers.
 */

/** The counts by the names that callers see, each with its meaning for metrics and a message for the log. */
export const VECTOR_TOTALS = {
  embedding_empty: {
    help: 'Embedded texts with no word that the model knows.',
    level: 'warn',
    message:
      'embedding: the model knows no word of some texts, so no search will find them; use an embedding_model of their language',
  },
  embedding_fallback: {
    help: 'Embedded texts whose vectors are lexical.',
    level: 'info',
    message:
      'embedding: some texts are in scripts that the model does not know, so their vectors are lexical; an embedding_model of their language finds more',
  },
  embedding_cut: {
    help: 'Embedded texts that are longer than the window of the model.',
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

/** A counter of a metric. */
interface Counter {
  inc(labels: Readonly<Record<string, string>>, count: number): void;
}

/** A function that adds to a counter for each of the counts. @param create a counter by its name and meaning */
export function countTotals(create: (name: string, help: string) => Counter) {
  const counters = NAMES.map((name) => [name, create(name, VECTOR_TOTALS[name].help)] as const);
  return (totals: Partial<VectorTotals>, labels: Readonly<Record<string, string>> = {}): void => {
    for (const [name, counter] of counters) if (totals[name]) counter.inc(labels, totals[name]);
  };
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
