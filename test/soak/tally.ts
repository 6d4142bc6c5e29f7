import { check, checkNone, type Report } from './mode.ts';

/** Seconds that a request may take: those of `--request-timeout`, and of a database that does not answer. */
export const DEADLINE = 30;
/** Seconds after which all is well again. */
const MAX_RECOVERY = 10;

/** What was seen of a service that was disturbed. */
export class Tally {
  /** Disturbances, by their kinds. */
  readonly done = new Map<string, number>();
  /** Why requests were refused, and jobs failed. */
  readonly reasons = new Map<string, number>();
  readonly lost: string[] = [];
  readonly doubled: string[] = [];
  readonly stuck: string[] = [];
  /** Answers that are neither right nor a refusal with its reason, and processes that ended by themselves. */
  readonly wrong: string[] = [];
  readonly counts = { requests: 0, refused: 0, broken: 0, writes: 0, jobs: 0, retries: 0, again: 0 };
  readonly longest = { request: 0, recovery: 0 };

  /** Notes how what was found differs from what has to be there. */
  compare(what: string, found: object, expected: object): void {
    const wanted = new Map(Object.entries(expected));
    for (const [name, value] of Object.entries(found)) {
      const given = JSON.stringify(value);
      if (JSON.stringify(wanted.get(name)) !== given) this.doubled.push(`${what}: ${name} is ${given}`);
    }
    for (const name of wanted.keys()) if (!(name in found)) this.lost.push(`${what}: ${name}`);
  }

  note(counts: Map<string, number>, what: string): void {
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }

  /** @param kinds how often each disturbance was to be, which is promised as well */
  report(name: string, kinds: ReadonlyMap<string, number>): Report {
    const { requests, refused, broken, writes, jobs, retries, again } = this.counts;
    const none = (what: string, all: readonly string[]) => checkNone(`${name}: ${what}`, all);
    const within = (what: string, found: number, most: number) =>
      check(`${name}: ${what}, at most ${most} s`, `${found.toFixed(1)} s`, found <= most);
    return {
      figures: [
        [`${name}: requests, refused, broken by us`, `${requests}, ${refused}, ${broken}`],
        [
          `${name}: writes; jobs, opened again, shards begun again`,
          `${writes}; ${jobs}, ${retries}, ${again}`,
        ],
        ...[...this.reasons].map(([reason, count]) => [`${name}: ${reason}`, String(count)] as const),
      ],
      checks: [
        ...[...kinds].map(([kind, count]) => {
          const found = this.done.get(kind) ?? 0;
          return check(`${name}: ${kind}: ${count}`, found, found >= count);
        }),
        none('lost', this.lost),
        none('doubled or changed', this.doubled),
        none('stuck', this.stuck),
        none('wrong', this.wrong),
        within('longest request', this.longest.request, DEADLINE + 1),
        within('longest recovery', this.longest.recovery, MAX_RECOVERY),
        check(`${name}: jobs and writes meanwhile`, `${jobs}, ${writes}`, jobs > 0),
      ],
    };
  }
}
