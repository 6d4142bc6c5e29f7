import type { Timings } from '../answer/response-metadata.ts';

/** Maximum kinds of work that are tracked. */
const MAX_KEPT = 1000;
/** The weight of the newest answer, if it is for this many bytes or more; smaller ones weigh less. */
const NEWEST = 0.3;
const WHOLE_BYTES = 65_536;

/** What does the work. */
type Plugins = readonly { readonly kind: string; readonly name: string }[];

/** How long work by the same plugins has taken per byte; anything better would require reading the texts. */
export interface Rate {
  /**
   * Expected seconds of work for this many bytes, excluding parsing and serialising; undefined before any was done.
   */
  expect(bytes: number): number | undefined;
  /** Takes the times of an answer into account. */
  note(bytes: number, timings: Timings): void;
}

/**
 * The one place that learns how long work takes, so that it can be divided into messages that are worth their cost.
 */
export class Throughput {
  readonly #secondsPerByte = new Map<string, number>();

  of(plugins: Plugins): Rate {
    const key = plugins.map(({ kind, name }) => `${kind}/${name}`).join(' ');
    return {
      expect: (bytes) => {
        const known = this.#secondsPerByte.get(key);
        return known === undefined ? undefined : known * bytes;
      },
      note: (bytes, timings) => this.#note(key, bytes, timings),
    };
  }

  #note(key: string, bytes: number, { times }: Timings): void {
    if (bytes === 0) return;
    const work = times.filter(({ stage }) => stage !== 'parse' && stage !== 'serialise');
    const now = work.reduce((sum, { seconds }) => sum + seconds, 0) / bytes;
    const before = this.#secondsPerByte.get(key) ?? now;
    const weight = NEWEST * Math.min(1, bytes / WHOLE_BYTES);
    if (this.#secondsPerByte.size >= MAX_KEPT && !this.#secondsPerByte.has(key)) this.#secondsPerByte.clear();
    this.#secondsPerByte.set(key, weight * now + (1 - weight) * before);
  }
}
