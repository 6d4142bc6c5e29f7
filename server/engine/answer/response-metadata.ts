import type { EmbeddingModel } from '../../../core/contracts/embedding.ts';

/** Reports of plugins about one document, by name. Plain data. */
export type Reported = Readonly<Record<string, string>>;

/** Facts about the chunks and vectors of a document or request that callers should know. */
export interface DocumentCounts {
  /** Chunks with more tokens than `chunk_size`, such as a function that is kept whole. */
  readonly oversize: number;
  /** Texts without any word that the model knows; their vectors are meaningless. */
  readonly empty: number;
  /** Indexes of the first of these texts in their call of the model; empty if callers do not know its texts. */
  readonly emptyAt: readonly number[];
  readonly fallback: number;
  readonly fallbackNames: readonly string[];
  /** Texts that are longer than the model's window. */
  readonly cut: number;
}

export function totalsOf({ oversize, empty, fallback, cut }: DocumentCounts): Totals {
  return {
    chunks_oversize: oversize,
    embedding_empty: empty,
    embedding_fallback: fallback,
    embedding_cut: cut,
  };
}

/** The report about chunks and vectors; empty if all are fine. @param model name of the model that made the vectors */
export function reportedCounts(
  { oversize, empty, emptyAt, fallback, fallbackNames, cut }: DocumentCounts,
  ...model: readonly string[]
): Reported {
  const models = [...model, ...fallbackNames];
  return {
    ...(oversize > 0 && { 'chunks-oversize': String(oversize) }),
    ...(models.length > 0 && { 'embedding-model': models.join(' ') }),
    ...(empty > 0 && { 'embedding-empty': String(empty) }),
    ...(emptyAt.length > 0 && { 'embedding-empty-at': emptyAt.join(' ') }),
    ...(fallback > 0 && { 'embedding-fallback': String(fallback) }),
    ...(cut > 0 && { 'embedding-cut': String(cut) }),
  };
}

/** Maximum texts with meaningless vectors that are listed by index. */
const MAX_NAMED = 100;

/** Maximum characters of a list of values; an ellipsis replaces the rest. */
const MAX_LIST_LENGTH = 4_000;

export class ResponseMetadata {
  readonly #documents: Map<string, Set<string>>[] = [];

  nextDocument(): void {
    this.#documents.push(new Map());
  }

  readonly report = (name: string, value: string): void => {
    const reported = this.#documents.at(-1);
    if (reported === undefined) return;
    const values = reported.get(name) ?? new Set();
    reported.set(name, values.add(value));
  };

  reportCounts(counts: DocumentCounts): void {
    for (const [name, value] of Object.entries(reportedCounts(counts))) this.report(name, value);
  }

  reported(): Reported[] {
    return this.#documents.map((reported) =>
      Object.fromEntries([...reported].map(([name, values]) => [name, [...values].join(' ')])),
    );
  }
}

/** Lists the values of all documents for each name, `-` for a missing value. A value common to all appears once. */
export function metadataOf(documents: readonly Reported[]): Readonly<Record<string, string>> {
  const names = new Set(documents.flatMap((reported) => Object.keys(reported)));
  return Object.fromEntries([...names].map((name) => [name, valuesOf(name, documents)]));
}

function valuesOf(name: string, documents: readonly Reported[]): string {
  const values = documents.map((reported) => reported[name] ?? '-');
  if (new Set(values).size === 1) return values[0] as string;
  const list = values.join(', ');
  return list.length <= MAX_LIST_LENGTH
    ? list
    : `${list.slice(0, list.lastIndexOf(',', MAX_LIST_LENGTH))}, ...`;
}

export type WorkStage = 'parse' | 'read' | 'chunk' | 'refine' | 'embed' | 'search' | 'tokenize' | 'serialise';

/** Time that a request spent in a stage, excluding nested stages. */
export interface StageTime {
  readonly stage: WorkStage;
  /** The plugin or model that did the work; `json` for `parse` and `serialise`. */
  readonly by: string;
  seconds: number;
}

/** Measurements of a request; plain data. */
export interface Timings {
  readonly times: readonly StageTime[];
  readonly documents: number;
  readonly chunks: number;
  readonly tokens: number;
  readonly opened: readonly OpenedModel[];
  readonly totals: Totals;
}

interface OpenedModel extends Pick<EmbeddingModel, 'name' | 'bytes'> {
  /** The requested name, which may be an alias. */
  readonly asked: string;
}

export class Timer {
  readonly #times: StageTime[] = [];
  readonly #opened: OpenedModel[] = [];
  #inner = 0;
  #counts = NO_COUNTS;
  #totals = NO_TOTALS;

  constructor(parseSeconds: number) {
    addTime(this.#times, { stage: 'parse', by: 'json', seconds: parseSeconds });
  }

  /** Measures a piece of work. Calls may be nested, but must not run side by side. */
  async time<T>(stage: WorkStage, by: string, work: () => T | Promise<T>): Promise<T> {
    const outer = this.#inner;
    this.#inner = 0;
    const start = performance.now();
    try {
      return await work();
    } finally {
      const elapsed = (performance.now() - start) / 1000;
      addTime(this.#times, { stage, by, seconds: elapsed - this.#inner });
      this.#inner = outer + elapsed;
    }
  }

  opened({ name, bytes }: EmbeddingModel, asked: string): void {
    this.#opened.push({ name, bytes, asked });
  }

  count(given: Partial<DocumentCounts>): void {
    const counts = { ...NO_COUNTS, ...given };
    this.#counts = addCounts(this.#counts, counts);
    this.#totals = addTotals(this.#totals, totalsOf(counts));
  }

  takeCounts(): DocumentCounts {
    const counts = this.#counts;
    this.#counts = NO_COUNTS;
    return counts;
  }

  summary(documents: number, chunks: number, tokens: number): Timings {
    return { times: this.#times, documents, chunks, tokens, totals: this.#totals, opened: this.#opened };
  }
}

const NO_COUNTS: DocumentCounts = {
  oversize: 0,
  empty: 0,
  emptyAt: [],
  fallback: 0,
  fallbackNames: [],
  cut: 0,
};

function addCounts(one: DocumentCounts, other: DocumentCounts): DocumentCounts {
  return {
    oversize: one.oversize + other.oversize,
    empty: one.empty + other.empty,
    emptyAt: [...new Set([...one.emptyAt, ...other.emptyAt])].slice(0, MAX_NAMED),
    fallback: one.fallback + other.fallback,
    fallbackNames: [...new Set([...one.fallbackNames, ...other.fallbackNames])],
    cut: one.cut + other.cut,
  };
}

function addTime(times: StageTime[], { stage, by, seconds }: StageTime): void {
  const time = times.find((one) => one.stage === stage && one.by === by);
  if (time === undefined) times.push({ stage, by, seconds });
  else time.seconds += seconds;
}

/** An answer without bytes, for work that continues or whose result is reported in another way. */
export function emptyAnswer(parseSeconds: number) {
  return { bytes: new Uint8Array(0), reported: [], timings: new Timer(parseSeconds).summary(0, 0, 0) };
}

export function joinTimings(all: readonly Timings[]): Timings {
  const times: StageTime[] = [];
  for (const time of all.flatMap((one) => one.times)) addTime(times, time);
  const sum = (of: (one: Timings) => number) => all.reduce((total, one) => total + of(one), 0);
  return {
    times,
    documents: sum(({ documents }) => documents),
    chunks: sum(({ chunks }) => chunks),
    tokens: sum(({ tokens }) => tokens),
    totals: all.map(({ totals }) => totals).reduce(addTotals, NO_TOTALS),
    opened: all.flatMap(({ opened }) => opened),
  };
}

/**
 * Counts by their public names, with a help text for metrics and a message for the log, if it is worth one. A new
 * count also needs a column in the tables of jobs, and a member in the schemas of answers.
 */
export const TOTALS = {
  chunks_oversize: {
    help: 'Chunks with more tokens than chunk_size.',
    level: 'info',
    message: undefined,
  },
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
      'embedding: some texts are in languages that the model does not know, so their vectors are lexical; an embedding_model of their language finds more',
  },
  embedding_cut: {
    help: 'Embedded texts that are longer than the window of the model.',
    level: 'info',
    message:
      'embedding: some texts are longer than the window of the model, and were treated as long_texts says; a smaller chunk_size makes them fit',
  },
} as const;

type Total = keyof typeof TOTALS;
export type Totals = Readonly<Record<Total, number>>;

export const TOTAL_NAMES = Object.keys(TOTALS) as readonly Total[];

export const NO_TOTALS: Totals = allTotals({});

export function allTotals(given: Partial<Totals>): Totals {
  return Object.fromEntries(TOTAL_NAMES.map((name) => [name, given[name] ?? 0])) as Totals;
}

export function nonZeroTotals(totals: Totals): Partial<Totals> {
  return Object.fromEntries(
    TOTAL_NAMES.filter((name) => totals[name] > 0).map((name) => [name, totals[name]]),
  );
}

export function addTotals(one: Totals, other: Totals): Totals {
  return Object.fromEntries(TOTAL_NAMES.map((name) => [name, one[name] + other[name]])) as Totals;
}

interface Counter {
  inc(labels: Readonly<Record<string, string>>, count: number): void;
}

/** Creates a counter per total, and returns a function that adds totals to the counters. @param create makes one */
export function countTotals(create: (name: string, help: string) => Counter) {
  const counters = TOTAL_NAMES.map((name) => [name, create(name, TOTALS[name].help)] as const);
  return (totals: Partial<Totals>, labels: Readonly<Record<string, string>> = {}): void => {
    for (const [name, counter] of counters) if (totals[name]) counter.inc(labels, totals[name]);
  };
}

type Levels = Readonly<Record<'info' | 'warn', (details: object, message: string) => void>>;

/** Logs counts above 0. @param about further members of the log lines */
export function logTotals(log: Levels, totals: Partial<Totals>, about: object = {}): void {
  for (const name of TOTAL_NAMES) {
    const texts = totals[name] ?? 0;
    const { level, message } = TOTALS[name];
    if (texts > 0 && message !== undefined) log[level]({ ...about, texts }, message);
  }
}
