/** What the time of a request goes to. */
export type Stage = 'parse' | 'chunk' | 'refine' | 'embed' | 'serialise';

/** Time that a request spent in a stage; time in a stage within it is not counted twice. */
export interface StageTime {
  readonly stage: Stage;
  /** The plugin or model that did the work, or the name of the task. */
  readonly by: string;
  readonly seconds: number;
}

/** What was measured while a request was worked on; plain data. */
export interface Measures {
  readonly times: readonly StageTime[];
  /** Chunks of the answer. */
  readonly chunks: number;
  /** Tokens of those chunks, where the task counted them. */
  readonly tokens: number;
  /** Models that were opened for the request. */
  readonly opened: readonly string[];
}

/** Measures one request. */
export class Stopwatch {
  readonly #seconds = new Map<string, StageTime>();
  readonly #opened: string[] = [];
  #inner = 0;

  constructor(parseSeconds: number) {
    this.#add('parse', 'json', parseSeconds);
  }

  /** Measures a piece of work that does nothing else meanwhile. */
  async time<T>(stage: Stage, by: string, work: () => T | Promise<T>): Promise<T> {
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

  summary(chunks: number, tokens: number): Measures {
    return { times: [...this.#seconds.values()], chunks, tokens, opened: this.#opened };
  }

  #add(stage: Stage, by: string, seconds: number): void {
    const key = `${stage} ${by}`;
    const before = this.#seconds.get(key)?.seconds ?? 0;
    this.#seconds.set(key, { stage, by, seconds: before + seconds });
  }
}
