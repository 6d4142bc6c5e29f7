import type { ChunksTask } from '../service/tasks.ts';
import type { Timings } from '../service/timings.ts';

/** Most kinds of work whose pace is kept. */
const MOST_KEPT = 1000;
/** Of less, most is what every request takes, and nothing is learnt from it. */
const LEAST_BYTES = 65_536;
/** What the newest answer counts for. */
const NEWEST = 0.3;

/** How long work has taken for its bytes, by the plugins that do it: only the texts themselves tell more. */
export class Pace {
  readonly #secondsPerByte = new Map<string, number>();

  /** Seconds that work on so many bytes should take, without reading them and writing the answer; 0 if none was done yet. */
  expect(task: ChunksTask, bytes: number): number {
    return bytes * (this.#secondsPerByte.get(keyOf(task)) ?? 0);
  }

  /** Takes the times of an answer into account. */
  note(task: ChunksTask, bytes: number, { times }: Timings): void {
    if (bytes < LEAST_BYTES) return;
    const work = times.filter(({ stage }) => stage !== 'parse' && stage !== 'serialise');
    const now = work.reduce((sum, { seconds }) => sum + seconds, 0) / bytes;
    const key = keyOf(task);
    const before = this.#secondsPerByte.get(key) ?? now;
    if (this.#secondsPerByte.size >= MOST_KEPT && !this.#secondsPerByte.has(key))
      this.#secondsPerByte.clear();
    this.#secondsPerByte.set(key, NEWEST * now + (1 - NEWEST) * before);
  }
}

function keyOf(task: ChunksTask): string {
  if (task.run !== 'execute') return `${task.run} ${task.name}`;
  return task.steps.map(({ chunker, refinery }) => chunker ?? refinery).join(' ');
}
