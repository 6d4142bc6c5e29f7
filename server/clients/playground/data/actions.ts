import { toUtf16 } from '../text/offsets.ts';
import { call, post, reasonOf, ServiceProblem, useKey } from './api.ts';
import { readCatalogue, readPipelines } from './catalogue.ts';
import { type Catalogue, type Chunk, NO_RUN, type Run, type Setting, type Step, type Unit } from './model.ts';
import {
  firstSettings,
  pathOf,
  pipelineSteps,
  sentOptions,
  withCopy,
  without,
  withSteps,
} from './settings.ts';
import type { Inquiry, Located, Source, State, Store } from './state.ts';

/** Milliseconds between the last keystroke and the run of the edited settings. */
const PAUSE = 150;

export class Actions {
  readonly #store: Store<State>;
  readonly #stops = new Map<string, AbortController>();
  #pause: ReturnType<typeof setTimeout> | undefined;
  #opening: File | undefined;

  constructor(store: Store<State>) {
    this.#store = store;
  }

  /** Loads the server's catalogue and runs the settings. @param key API key; empty if the server needs none */
  async start(key = ''): Promise<void> {
    useKey(key);
    try {
      const catalogue = await readCatalogue();
      const { settings } = this.#store.state;
      const first = settings.length > 0 ? settings : firstSettings(catalogue);
      const asked = { ...this.#store.state.asked, model: catalogue.model };
      this.#store.change({ catalogue, asked, needsKey: false, problem: undefined, settings: first });
      this.#runAll();
    } catch (error) {
      const needsKey = error instanceof ServiceProblem && error.status === 401;
      const problem = reasonOf(error);
      this.#store.change({ needsKey, problem: needsKey && key === '' ? undefined : problem });
    }
  }

  openText(text: string, source: string, origin?: Source): void {
    this.#opening = undefined;
    this.#store.change({ text, source, origin, selection: undefined });
    this.#runAll();
  }

  async openFile(file: File): Promise<void> {
    const chunker = this.#store.state.catalogue?.plugins.find(({ options }) => 'chunk_overlap' in options);
    if (chunker === undefined)
      return this.notify('No chunker of this server returns the whole text of a file.');
    if (file.size === 0) return this.notify(`${file.name} is empty: choose a file with text.`);
    this.#opening = file;
    const step = { kind: chunker.kind, name: chunker.name, options: { chunk_size: 1_000_000_000 } };
    try {
      const { body, headers } = await chunkFile(step, file);
      if (this.#opening !== file) return;
      const hasPlaces = body.some(({ places }) => Array.isArray(places) && places.length > 0);
      const origin = hasPlaces ? { file, reports: reportsIn(headers) } : undefined;
      this.openText(body.map(({ text }) => text).join(''), file.name, origin);
    } catch (error) {
      if (this.#opening === file) this.notify(reasonOf(error));
    }
  }

  edit(text: string): void {
    this.#store.change({ text, source: 'Your text', origin: undefined, selection: undefined });
    this.#runSoon(this.#store.state.settings);
  }

  changeSteps(id: string, steps: readonly Step[]): void {
    const settings = withSteps(this.#store.state.settings, id, steps);
    this.#store.change({ settings });
    this.#runSoon(settings.filter((setting) => setting.id === id));
  }

  addSetting(): void {
    const settings = withCopy(this.#store.state.settings);
    this.#replaceSettings(settings, settings.at(-1)?.id);
  }

  removeSetting(id: string): void {
    this.#replaceSettings(without(this.#store.state.settings, id), undefined);
  }

  #replaceSettings(settings: readonly Setting[], opened: string | undefined): void {
    this.#store.change({
      settings,
      opened,
      selection: undefined,
      runs: new Map(),
      active: opened ?? settings[0]?.id ?? 'A',
    });
    this.#runAll();
  }

  select(setting: string, chunk: number): void {
    const selection = chunk < 0 ? undefined : { setting, chunk };
    this.#store.change({ selection, active: setting, page: undefined });
  }

  move(by: 1 | -1): void {
    const { selection, active, runs } = this.#store.state;
    const setting = selection?.setting ?? active;
    const count = runs.get(setting)?.chunks.length ?? 0;
    if (count === 0) return;
    const chunk = selection === undefined ? 0 : Math.min(count - 1, Math.max(0, selection.chunk + by));
    this.select(setting, chunk);
  }

  notify(notice: string): void {
    this.#store.change({ notice });
  }

  #runAll(): void {
    this.#markStale(this.#store.state.settings);
    this.#runStale();
  }

  #runSoon(settings: readonly Setting[]): void {
    this.#markStale(settings);
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.#runStale(), PAUSE);
  }

  #runStale(): void {
    const { settings, runs } = this.#store.state;
    for (const setting of settings) if (runs.get(setting.id)?.isStale !== false) void this.#run(setting);
  }

  #markStale(settings: readonly Setting[]): void {
    const runs = new Map(this.#store.state.runs);
    for (const { id } of settings) {
      this.#stops.get(id)?.abort();
      runs.set(id, { ...(runs.get(id) ?? NO_RUN), isStale: true });
    }
    this.#store.change({ runs });
  }

  async #run({ id, steps }: Setting): Promise<void> {
    const { catalogue, text } = this.#store.state;
    if (catalogue === undefined) return;
    const stop = new AbortController();
    this.#stops.set(id, stop);
    try {
      const run = await runSetting({ id, steps }, { text }, catalogue, stop.signal);
      stop.signal.throwIfAborted();
      const { state } = this.#store;
      const selection = state.selection?.setting === id ? { selection: undefined } : {};
      this.#store.change({
        runs: new Map(state.runs).set(id, run),
        asked: withoutFound(state.asked, id),
        ...selection,
      });
    } catch {
      // This run was aborted, because a newer run of the setting has replaced it.
    }
  }

  async save({ steps }: Setting, name: string): Promise<void> {
    try {
      await post('v1/pipelines', { name, steps: pipelineSteps(steps) });
      const { catalogue } = this.#store.state;
      if (catalogue !== undefined)
        this.#store.change({ catalogue: { ...catalogue, pipelines: await readPipelines() } });
      this.notify(`Saved as ${name}.`);
    } catch (error) {
      this.notify(reasonOf(error));
    }
  }
}

function withoutFound(asked: Inquiry, id: string): Inquiry {
  if (!asked.found.has(id)) return asked;
  return { ...asked, found: new Map([...asked.found].filter(([setting]) => setting !== id)) };
}

interface Input {
  readonly text: string;
  readonly file?: File;
}

/**
 * Runs the chunker or pipeline of a setting, then its refineries in order. Returns failures as the run's `error`.
 *
 * @throws the signal's reason if the signal is aborted
 */
async function runSetting(
  { steps }: Setting,
  { text, file }: Input,
  catalogue: Catalogue,
  signal: AbortSignal,
): Promise<Run> {
  const begin = performance.now();
  const reports: Record<string, string> = {};
  let chunks: readonly Chunk[] = [];
  let error: string | undefined;
  try {
    for (const [index, given] of steps.entries()) {
      const step = { ...given, options: sentOptions(given, catalogue) };
      const isOfFile = file !== undefined && index === 0;
      const answer = isOfFile ? chunkFile(step, file, signal) : runStep(step, text, chunks, signal);
      const { body, headers } = await answer;
      Object.assign(reports, reportsIn(headers));
      chunks = toUtf16(text, body, unitOf(step, catalogue));
    }
  } catch (reason) {
    signal.throwIfAborted();
    chunks = [];
    error = reasonOf(reason);
  }
  return { isStale: false, chunks, milliseconds: performance.now() - begin, reports, error };
}

function runStep(step: Step, text: string, chunks: readonly Chunk[], signal: AbortSignal) {
  const input = { chunker: { text, offset_unit: 'utf16' }, refinery: { chunks }, pipeline: { text } };
  return post<Chunk[]>(pathOf(step), { ...step.options, ...input[step.kind] }, signal);
}

function chunkFile({ kind, name, options }: Step, file: File, signal?: AbortSignal) {
  const form = new FormData();
  const unit = kind === 'pipeline' ? {} : { offset_unit: 'utf16' };
  for (const [option, value] of Object.entries({ ...options, ...unit, include: ['places'] }))
    form.set(option, typeof value === 'string' ? value : JSON.stringify(value));
  form.set('file', file);
  const path = `${pathOf({ kind, name, options })}/file`;
  return call<Chunk[]>(path, { method: 'POST', body: form, ...(signal && { signal }) });
}

/** The offset unit of a step's answer. A pipeline uses the unit of the last chunk step in it. */
function unitOf({ kind, name }: Step, { pipelines }: Catalogue): Unit {
  if (kind !== 'pipeline') return 'utf16';
  const pipeline = pipelines.find(({ id }) => id === name);
  const chunking = pipeline?.config.steps.findLast(({ type }) => type === 'chunk');
  return (chunking?.config.offset_unit as Unit | undefined) ?? 'code_point';
}

const FIXED = /^x-(request-id|content-type-options|dns-|download-|frame-|permitted-|xss-|ratelimit)/;

function reportsIn(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('x-') && !FIXED.test(name)));
}

/** Caches the result of `locate` by the chunks of a run, so that the file is not sent again for that run. */
const known = new WeakMap<readonly Chunk[], Located>();

let stop = new AbortController();

/**
 * Finds the places, such as pages, of the selected run's chunks. The run chunked plain text, which has no places.
 * For this reason, the service runs the setting again on the file itself.
 */
export async function locate({ state, change }: Store<State>): Promise<void> {
  const { origin, selection, settings, runs, catalogue, text, located } = state;
  const setting = settings.find(({ id }) => id === selection?.setting);
  const run = runs.get(setting?.id ?? '');
  if (origin === undefined || catalogue === undefined || setting === undefined || run?.isStale !== false)
    return;
  const of = run.chunks;
  if (located?.of === of) return;
  stop.abort();
  stop = new AbortController();
  const { signal } = stop;
  const found = known.get(of);
  change({ located: found ?? { of, chunks: undefined, problem: undefined } });
  if (found !== undefined) return;
  try {
    const again = await runSetting(setting, { text, file: origin.file }, catalogue, signal);
    signal.throwIfAborted();
    const now = { of, chunks: again.chunks, problem: again.error };
    if (again.error === undefined) known.set(of, now);
    change({ located: now });
  } catch {
    // Aborted, because a chunk of another run was selected meanwhile.
  }
}
