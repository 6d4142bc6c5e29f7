/** What plugins reported about one document, by name. Plain data. */
export type Reported = Readonly<Record<string, string>>;

/** The report of vectors that mean nothing; empty if there are none. */
export function reportedEmpty(emptyVectors: number): Reported {
  return emptyVectors === 0 ? {} : { [EMBEDDING_EMPTY]: String(emptyVectors) };
}

/** The report of vectors of a model's fallback; empty if there are none. */
export function reportedFallbacks(fallbacks: number): Reported {
  return fallbacks === 0 ? {} : { [EMBEDDING_FALLBACK]: String(fallbacks) };
}

const EMBEDDING_FALLBACK = 'embedding-fallback';
const EMBEDDING_EMPTY = 'embedding-empty';

/** The log message for vectors that mean nothing. */
export const EMPTY_VECTORS =
  'embedding: the model knows no word of some texts, so no search will find them; use an embedding_model of their language';

/** Maximum characters of a list of values; the rest is replaced by an ellipsis. */
const MAX_LENGTH = 4_000;

/** Collects what plugins report about the documents of a request, which are processed one after the other. */
export class ResponseMetadata {
  readonly #documents: Map<string, Set<string>>[] = [];

  /** Assigns subsequent reports to the next document. */
  nextDocument(): void {
    this.#documents.push(new Map());
  }

  readonly report = (name: string, value: string): void => {
    const reported = this.#documents.at(-1);
    if (reported === undefined) return;
    const values = reported.get(name) ?? new Set();
    reported.set(name, values.add(value));
  };

  /** Reports how many vectors of the last document mean nothing, if any do. */
  reportEmpty(vectors: number): void {
    if (vectors > 0) this.report(EMBEDDING_EMPTY, String(vectors));
  }

  /** Reports how many vectors of the last document are of a model's fallback, if any are. */
  reportFallbacks(vectors: number): void {
    if (vectors > 0) this.report(EMBEDDING_FALLBACK, String(vectors));
  }

  /** What was reported about each document, its values joined by spaces. */
  reported(): Reported[] {
    return this.#documents.map((reported) =>
      Object.fromEntries([...reported].map(([name, values]) => [name, [...values].join(' ')])),
    );
  }
}

/** A list for each name: the values of each document, or `-` if it has none. A value that all share is given once. */
export function metadataOf(documents: readonly Reported[]): Readonly<Record<string, string>> {
  const names = new Set(documents.flatMap((reported) => Object.keys(reported)));
  return Object.fromEntries([...names].map((name) => [name, valuesOf(name, documents)]));
}

function valuesOf(name: string, documents: readonly Reported[]): string {
  const values = documents.map((reported) => reported[name] ?? '-');
  if (new Set(values).size === 1) return values[0] as string;
  const list = values.join(', ');
  return list.length <= MAX_LENGTH ? list : `${list.slice(0, list.lastIndexOf(',', MAX_LENGTH))}, ...`;
}

/** What a request spends its time on. */
export type WorkStage = 'parse' | 'read' | 'chunk' | 'refine' | 'embed' | 'search' | 'tokenize' | 'serialise';

/** Time that a request spent in a stage, excluding nested stages. */
export interface StageTime {
  readonly stage: WorkStage;
  /** The plugin or model that did the work; `json` for `parse` and `serialise`. */
  readonly by: string;
  readonly seconds: number;
}

/** Measurements of a request; plain data. */
export interface Timings {
  readonly times: readonly StageTime[];
  /** Texts, or lists of chunks, of the request. */
  readonly documents: number;
  /** Chunks of the answer. */
  readonly chunks: number;
  /** The sum of their `token_count`s. */
  readonly tokens: number;
  /** Models that were opened for the request. */
  readonly opened: readonly string[];
  /** Texts with no word that the model knows, so that their vectors mean nothing. */
  readonly emptyVectors: number;
}

/** Measures the times of one request. */
export class Timer {
  readonly #seconds = new Map<string, StageTime>();
  readonly #opened: string[] = [];
  #inner = 0;
  #emptyVectors = 0;
  #taken = 0;
  #fallbacks = 0;

  constructor(parseSeconds: number) {
    addTime(this.#seconds, { stage: 'parse', by: 'json', seconds: parseSeconds });
  }

  /** Measures a piece of work. Calls may be nested, but must not overlap. */
  async time<T>(stage: WorkStage, by: string, work: () => T | Promise<T>): Promise<T> {
    const outer = this.#inner;
    this.#inner = 0;
    const start = performance.now();
    try {
      return await work();
    } finally {
      const elapsed = (performance.now() - start) / 1000;
      addTime(this.#seconds, { stage, by, seconds: elapsed - this.#inner });
      this.#inner = outer + elapsed;
    }
  }

  opened(model: string): void {
    this.#opened.push(model);
  }

  embedded(emptyVectors: number, fallbacks = 0): void {
    this.#emptyVectors += emptyVectors;
    this.#fallbacks += fallbacks;
  }

  /** How many texts had vectors of a model's fallback since the last call. */
  takeFallbacks(): number {
    const taken = this.#fallbacks;
    this.#fallbacks = 0;
    return taken;
  }

  /** How many of these there were since the last call. */
  takeEmptyVectors(): number {
    const before = this.#taken;
    this.#taken = this.#emptyVectors;
    return this.#taken - before;
  }

  summary(documents: number, chunks: number, tokens: number): Timings {
    const counts = { documents, chunks, tokens, emptyVectors: this.#emptyVectors };
    return { times: [...this.#seconds.values()], ...counts, opened: this.#opened };
  }
}

function addTime(times: Map<string, StageTime>, { stage, by, seconds }: StageTime): void {
  const key = `${stage} ${by}`;
  times.set(key, { stage, by, seconds: seconds + (times.get(key)?.seconds ?? 0) });
}

/** An answer without bytes, for work that is reported in another way or continues. */
export function emptyAnswer(parseSeconds: number) {
  return { bytes: new Uint8Array(0), reported: [], timings: new Timer(parseSeconds).summary(0, 0, 0) };
}

/** The times of work that was done in several threads, with the sums of its sizes. */
export function joinTimings(all: readonly Timings[]): Timings {
  const times = new Map<string, StageTime>();
  for (const time of all.flatMap((one) => one.times)) addTime(times, time);
  const sum = (of: (one: Timings) => number) => all.reduce((total, one) => total + of(one), 0);
  return {
    times: [...times.values()],
    documents: sum(({ documents }) => documents),
    chunks: sum(({ chunks }) => chunks),
    tokens: sum(({ tokens }) => tokens),
    emptyVectors: sum(({ emptyVectors }) => emptyVectors),
    opened: all.flatMap(({ opened }) => opened),
  };
}
