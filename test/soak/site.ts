import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobAnswer, ShardAnswer } from '../../server/corpora/jobs/answers.ts';
import { type Answer, type Cleanup, temporaryFolder } from '../support/server.ts';
import type { Database } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { type Fleet, type FleetOptions, startFleet } from './job-fleet.ts';
import { type Digests, STEPS, writeCorpus } from './job-results.ts';
import { KillWriter, type Stored } from './kill-writer.ts';
import { folderRoute, type Route, type RouteServer } from './routes.ts';
import { DEADLINE, Tally } from './tally.ts';
import { proseOf } from './texts.ts';

/** Seconds without a step forward after which a job is stuck. */
const TIMEOUT = 180;
/** Why jobs may fail here: they are then opened again. */
const EXPECTED = /worker|no space|disk is full|cannot be used|does not answer|connection|Chroma|PostgreSQL/;
const HEADERS = { 'content-type': 'application/json' };

/** What every job must come to. */
interface Expected {
  readonly counts: Pick<JobAnswer, 'documents' | 'chunks' | 'bytes' | 'shards'>;
  readonly content: Digests;
}

const countsOf = ({ documents, chunks, bytes, shards }: JobAnswer) => ({ documents, chunks, bytes, shards });

/** A fleet that answers, stores and does jobs while it is disturbed, and what is seen of it. */
export class Site {
  readonly fleet: Fleet;
  readonly tally: Tally;
  readonly #route: Route;
  /** The job that is done now. */
  job: JobAnswer | undefined;
  /** Jobs that others have made. */
  readonly others = new Set<string>();
  /** Steps forward. */
  readonly #progress = { answers: 0, writes: 0, jobs: 0 };
  #isOver = false;
  #expected: Expected | undefined;
  #loops: readonly Promise<void>[] = [];

  constructor(fleet: Fleet, route: Route, tally: Tally) {
    this.fleet = fleet;
    this.tally = tally;
    this.#route = route;
  }

  /** Sends a request. @returns undefined if it was refused for now, or broken by who ended the server */
  async ask(method: string, path: string, body?: object, { headers = {}, mayRefuse = true } = {}) {
    const { api, server } = this.fleet;
    const { counts, longest, wrong, reasons } = this.tally;
    const { ends, isUp } = server;
    const isDisturbed = () => !isUp || !server.isUp || server.ends !== ends;
    const what = `${method} ${path.replace(/[0-9a-f-]{36}/, '…')}`;
    const begin = performance.now();
    counts.requests++;
    const sent =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { ...HEADERS, ...headers } };
    const signal = AbortSignal.timeout(2 * DEADLINE * 1000);
    const answer = await api.send(path, { method, signal, ...sent }).catch((error: Error) => {
      if (isDisturbed()) counts.broken++;
      else wrong.push(`${what}: ${error.message} ${error.cause ?? ''}`);
    });
    if (!isDisturbed()) longest.request = Math.max(longest.request, (performance.now() - begin) / 1000);
    if (!answer || answer.status < 500) return answer || undefined;
    const said = `${what}: ${answer.status} ${answer.bytes}`.slice(0, 200);
    if (answer.status !== 503 || !(mayRefuse || isDisturbed())) wrong.push(said);
    this.tally.note(reasons, said);
    counts.refused++;
    return undefined;
  }

  /** Does a job undisturbed, and then one after the other beside other requests. */
  async start(): Promise<void> {
    await this.#doJob('expected');
    const loops = [this.#doJobs(), this.#chunkOn(), this.#writeOn('a'), this.#writeOn('b')];
    this.#loops = loops.map((loop) =>
      loop.catch((error: Error) => void this.tally.wrong.push(`${error.stack}`)),
    );
  }

  /** Lets the job that is under way end, and looks for what is left over. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
    const left = await this.surely('GET', '/v1/jobs');
    for (const { id } of left.json<JobAnswer[]>())
      if (!this.others.has(id)) this.tally.doubled.push(`the job ${id} is left over`);
  }

  /** Waits until it chunks, stores, goes on with its job and says that it is ready. */
  async recover(): Promise<void> {
    const begin = performance.now();
    const before = { ...this.#progress };
    const kinds = ['answers', 'writes', 'jobs'] as const;
    const missing = () => kinds.filter((kind) => this.#progress[kind] === before[kind]);
    await until(() => missing().length === 0, TIMEOUT * 1000).catch(() => {
      this.tally.stuck.push(`no ${missing()} after a fault`);
    });
    await this.surely('GET', '/ready');
    this.tally.longest.recovery = Math.max(this.tally.longest.recovery, (performance.now() - begin) / 1000);
  }

  /** Waits until the job that is done now is as told. */
  async untilJob(isMet: (job: JobAnswer) => boolean): Promise<void> {
    await until(() => this.job !== undefined && isMet(this.job), TIMEOUT * 1000);
  }

  /** Asks until there is an answer. */
  async surely(method: string, path: string, body?: object, headers?: object): Promise<Answer> {
    for (;;) {
      const answer = await this.ask(method, path, body, headers && { headers });
      if (answer !== undefined) return answer;
      await sleep(100);
    }
  }

  async #chunkOn(): Promise<void> {
    const bodies = [2000, 40_000].map((length) => ({ text: proseOf(length, 1), chunk_size: 300 }));
    const right: Buffer[] = [];
    for (let turn = 0; !this.#isOver; turn = 1 - turn) {
      const answer = await this.ask('POST', '/v1/chunk/token', bodies[turn], { mayRefuse: false });
      if (answer !== undefined) {
        right[turn] ??= answer.bytes;
        if (answer.status === 200 && right[turn]?.equals(answer.bytes)) this.#progress.answers++;
        else this.tally.wrong.push(`other chunks, ${answer.status}`);
      }
      await sleep(50);
    }
  }

  async #writeOn(prefix: string): Promise<void> {
    const writer = new KillWriter(prefix);
    const check = async () => {
      const stored = (await this.surely('GET', '/v1/pipelines?limit=1000')).json<Stored[]>();
      this.tally.lost.push(...writer.check(stored));
    };
    for (; !this.#isOver; await sleep(20)) {
      if (await writer.write((method, path, body) => this.ask(method, path, body))) this.#progress.writes++;
      else await check();
    }
    await check();
    this.tally.counts.writes += writer.written;
  }

  async #doJobs(): Promise<void> {
    for (let count = 1; !this.#isOver; count++) await this.#doJob(`out-${count}`);
  }

  async #doJob(name: string): Promise<void> {
    const { tally } = this;
    const route = this.#route;
    const request = { steps: STEPS, source: route.source, target: route.target(name), ...route.more };
    const made = await this.surely('POST', '/v1/jobs', request, { 'idempotency-key': name });
    if (made.status > 202) throw new Error(`no job: ${made.bytes}`);
    const job = await this.#untilDone(made.json<JobAnswer>().id);
    if (job === undefined) return;
    const found = { counts: countsOf(job), content: await this.#content(name) };
    const { failed } = job.documents;
    if (this.#expected !== undefined && failed !== this.#expected.counts.documents.failed) {
      const errors = await this.surely('GET', `/v1/jobs/${job.id}/errors`);
      tally.wrong.push(`documents of ${name} failed: ${errors.bytes}`);
    }
    this.#expected ??= found;
    tally.compare(`${name}, counts`, found.counts, this.#expected.counts);
    tally.compare(name, found.content, this.#expected.content);
    const shards = await this.surely('GET', `/v1/jobs/${job.id}/shards?limit=1000`);
    tally.counts.again += shards.json<ShardAnswer[]>().reduce((sum, { attempt }) => sum + attempt - 1, 0);
    tally.counts.jobs++;
    await this.surely('DELETE', `/v1/jobs/${job.id}`);
    if (route.isSink) return;
    for (const left of Object.keys(await route.content(name)))
      tally.doubled.push(`${name}/${left} is left over`);
  }

  /** Waits for a server that is killed just now. */
  async #content(name: string): Promise<Digests> {
    for (;;) {
      const found = await this.#route.content(name).catch(() => sleep(100));
      if (found) return found;
    }
  }

  /** Opens a job again that says what happened to it. @returns undefined if it is stuck, or ended in another way */
  async #untilDone(id: string): Promise<JobAnswer | undefined> {
    const { tally } = this;
    let [last, since] = ['', performance.now()];
    for (; performance.now() - since < TIMEOUT * 1000; await sleep(50)) {
      const job = (await this.surely('GET', `/v1/jobs/${id}`)).json<JobAnswer>();
      this.job = job;
      const detail = job.error?.detail ?? '';
      const now = JSON.stringify([job.state, job.shards]);
      if (now !== last) {
        this.#progress.jobs++;
        [last, since] = [now, performance.now()];
      }
      if (job.state === 'done') return job;
      if (job.state === 'failed' && EXPECTED.test(detail)) {
        tally.counts.retries++;
        tally.note(tally.reasons, `job failed: ${detail}`.slice(0, 200));
        await this.surely('POST', `/v1/jobs/${id}/retry`, {});
      } else if (job.finished_at !== null) {
        tally.wrong.push(`a job is ${job.state}: ${detail}`);
        return undefined;
      }
    }
    tally.stuck.push(`a job: ${last}`);
    return undefined;
  }
}

/** How much the jobs of a site have to do. */
export const CORPUS = { documents: 300, words: 300 };
const SHARDS = 24;

/** Starts a fleet, whose jobs go from a folder to a folder unless there is another way. */
export async function openSite(
  t: Cleanup,
  place: Database,
  { server, ...options }: Omit<Partial<FleetOptions>, 'env'> & { readonly server?: RouteServer },
): Promise<Site> {
  const root = options.root ?? (await temporaryFolder(t));
  const shardBytes = Math.ceil((await writeCorpus(join(root, 'in.jsonl'), CORPUS)) / SHARDS);
  const { flags = [], env = {}, route = folderRoute(root) } = server ?? {};
  const all = [...(options.flags ?? []), ...flags];
  return new Site(
    await startFleet(t, place, { ...options, root, flags: all, env, shardBytes }),
    route,
    new Tally(),
  );
}
