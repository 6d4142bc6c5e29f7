/** What a request spends its time on. */
export type WorkStage = 'parse' | 'read' | 'chunk' | 'refine' | 'embed' | 'search' | 'tokenize' | 'serialise';

/** Time that a request spent in a stage, without the time in stages within it. */
export interface StageTime {
  readonly stage: WorkStage;
  /** The plugin or model that did the work; `json` for `parse` and `serialise`. */
  readonly by: string;
  readonly seconds: number;
}

/** What was measured while a request was worked on; plain data. */
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
  /** Texts of which a model knows no word, so that their vectors say nothing. */
  readonly emptyVectors: number;
}

/** Takes the times of one request. */
export class Timer {
  readonly #seconds = new Map<string, StageTime>();
  readonly #opened: string[] = [];
  #inner = 0;
  #emptyVectors = 0;
  #taken = 0;

  constructor(parseSeconds: number) {
    this.#add('parse', 'json', parseSeconds);
  }

  /** Takes the time of a piece of work. Calls may be nested, but must not overlap. */
  async time<T>(stage: WorkStage, by: string, work: () => T | Promise<T>): Promise<T> {
    const outer = this.#inner;
    this.#inner = 0;
    const start = performance.now();
    try {
      return await work();
    } finally {
      const elapsed = (performance.now() - start) / 1000;
      this.#add(stage, by, elapsed - this.#inner);
      this.#inner = outer + elapsed;
    }
  }

  opened(model: string): void {
    this.#opened.push(model);
  }

  embedded(emptyVectors: number): void {
    this.#emptyVectors += emptyVectors;
  }

  /** How many of these there were since this was last asked. */
  takeEmptyVectors(): number {
    const before = this.#taken;
    this.#taken = this.#emptyVectors;
    return this.#taken - before;
  }

  summary(documents: number, chunks: number, tokens: number): Timings {
    const counts = { documents, chunks, tokens, emptyVectors: this.#emptyVectors };
    return { times: [...this.#seconds.values()], ...counts, opened: this.#opened };
  }

  #add(stage: WorkStage, by: string, seconds: number): void {
    const key = `${stage} ${by}`;
    const before = this.#seconds.get(key)?.seconds ?? 0;
    this.#seconds.set(key, { stage, by, seconds: before + seconds });
  }
}

/** The times of work that was done in several threads, with the sums of its sizes. */
export function joinTimings(all: readonly Timings[]): Timings {
  const times = new Map<string, StageTime>();
  for (const { stage, by, seconds } of all.flatMap((one) => one.times)) {
    const key = `${stage} ${by}`;
    times.set(key, { stage, by, seconds: seconds + (times.get(key)?.seconds ?? 0) });
  }
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
