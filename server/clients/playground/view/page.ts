import { html, nothing, type TemplateResult } from 'lit-html';
import type { Actions } from '../data/actions.ts';
import { ask, changeQuestion, showTokens } from '../data/inquiry.ts';
import { MOST_SETTINGS, NO_RUN, type Run, type Setting, type Unit } from '../data/model.ts';
import type { State } from '../data/state.ts';
import type { Store } from '../data/store.ts';
import type { Range } from '../text/ranges.ts';
import { chunkDetails, UNITS } from './chunk-details.ts';
import { numbersTable } from './numbers-table.ts';
import { questionPanel } from './question-panel.ts';
import { settingCard } from './setting-card.ts';
import { textPanel } from './text-panel.ts';

/** What the page is built with. */
export interface Wiring {
  readonly store: Store<State>;
  readonly actions: Actions;
  /** The element of the viewer, which shows the text by itself. */
  readonly viewer: HTMLElement;
  /** Goes to the next or the previous chunk. */
  move(by: 1 | -1): void;
  /** Selects a chunk, and scrolls to it. */
  show(setting: string, chunk: number): void;
  copyLink(): void;
  saveReport(): void;
}

/** The whole page in a state. */
export function pageOf(state: State, wiring: Wiring): TemplateResult {
  const { catalogue, problem, needsKey } = state;
  const { store, actions } = wiring;
  const shares = () => store.change({ sharesText: !store.state.sharesText });
  return html`<header class="bar">
      <h1>Chunksmith <span>playground</span></h1>
      <nav aria-label="Pages"><a href="docs">Docs</a> <a href="redoc">Reference</a></nav>
      <div class="share">
        <label><input type="checkbox" .checked=${state.sharesText} @change=${shares}> with the text</label>
        <button @click=${wiring.copyLink}>Copy link</button>
        <button @click=${wiring.saveReport}>Save report</button>
      </div>
    </header>
    ${problem === undefined ? nothing : html`<p class="problem" role="alert">${problem}</p>`}
    ${needsKey ? keyForm((key) => void actions.start(key)) : nothing}
    ${catalogue === undefined ? nothing : html`<div class="page">${side(state, wiring)}${stage(state, wiring)}</div>`}
    <p class="notice" role="status">${state.notice}</p>`;
}

function side(state: State, { store, actions }: Wiring): TemplateResult {
  const { catalogue, settings, runs, opened, active, text, source, unit, isEditing } = state;
  const isFull = settings.length >= MOST_SETTINGS;
  return html`<div class="side">
    ${textPanel({
      text,
      source,
      unit,
      isEditing,
      open: (text, source) => actions.openText(text, source),
      openFile: (file) => void actions.openFile(file),
      edit: (text) => actions.edit(text),
      toggle: () => store.change({ isEditing: !isEditing }),
    })}
    ${settings.map((setting) =>
      settingCard({
        setting,
        run: runs.get(setting.id) ?? NO_RUN,
        catalogue: catalogue as NonNullable<typeof catalogue>,
        isOpen: opened === setting.id,
        isActive: active === setting.id,
        canRemove: settings.length > 1,
        change: (steps) => actions.changeSteps(setting.id, steps),
        remove: () => actions.removeSetting(setting.id),
        toggle: () => store.change({ opened: opened === setting.id ? undefined : setting.id }),
        notify: (notice) => actions.notify(notice),
        savePipeline: (name) => void actions.save(setting, name),
      }),
    )}
    <button class="wide" ?disabled=${isFull} @click=${() => actions.addSetting()}>+ Compare with another setting</button>
  </div>`;
}

function stage(state: State, wiring: Wiring): TemplateResult {
  const { settings, runs, active, text, price, isNarrow } = state;
  const { store } = wiring;
  const tools = html`<div class="tools">
    ${unitChoice(state, store)}${tokenChoice(state, store)}${differencesChoice(state, store)}${legend()}
  </div>`;
  return html`<main class="stage" data-active=${active}>
    ${isNarrow ? nothing : tools}
    ${columnsHead(settings, runs, active, (id) => store.change({ active: id }))}
    <div class="frame">${wiring.viewer}</div>
    ${isNarrow ? tools : nothing}
    ${detailsOf(state, wiring)}
    <div class="scroll" tabindex="0" role="region" aria-label="Numbers">
      ${numbersTable({ text, settings, runs, price, setPrice: (price) => store.change({ price }) })}
    </div>
    ${question(state, wiring)}
  </main>`;
}

function detailsOf(state: State, { store, move }: Wiring): TemplateResult | typeof nothing {
  const { selection, runs, settings, text, unit } = state;
  const chunks = runs.get(selection?.setting ?? '')?.chunks ?? [];
  const chunk = chunks[selection?.chunk ?? -1];
  const setting = settings.find(({ id }) => id === selection?.setting);
  if (selection === undefined || chunk === undefined || setting === undefined) return nothing;
  const close = () => store.change({ selection: undefined });
  return chunkDetails({
    setting,
    chunk,
    index: selection.chunk,
    count: chunks.length,
    text,
    unit,
    move,
    close,
  });
}

function question(
  { asked, catalogue, settings, runs, text, unit }: State,
  { store, actions, show }: Wiring,
): TemplateResult {
  return questionPanel({
    asked,
    text,
    unit,
    models: catalogue?.models ?? [],
    settings,
    runs,
    change: (change) => changeQuestion(store, change),
    ask: () => void ask(store),
    mark() {
      const answer = selectedText();
      if (answer === undefined) actions.notify('Select the answer in the text first.');
      else changeQuestion(store, { answer });
    },
    show,
  });
}

const valueIn = (event: Event) => (event.target as HTMLSelectElement).value;

function unitChoice({ unit }: State, store: Store<State>): TemplateResult {
  const option = ([value, name]: [string, string]) =>
    html`<option value=${value} .selected=${value === unit}>${name}</option>`;
  return html`<label>Offsets in <select @change=${(event: Event) => store.change({ unit: valueIn(event) as Unit })}>
    ${Object.entries(UNITS).map(option)}
  </select></label>`;
}

function tokenChoice({ tokenizer, catalogue }: State, store: Store<State>): TemplateResult {
  return html`<label>Tokens of <select @change=${(event: Event) => void showTokens(store, valueIn(event))}>
    <option value="" .selected=${tokenizer === ''}>none</option>
    ${catalogue?.tokenizers.map((name) => html`<option value=${name} .selected=${name === tokenizer}>${name}</option>`)}
  </select></label>`;
}

function differencesChoice({ showsDifferences, settings }: State, store: Store<State>) {
  if (settings.length < 2) return nothing;
  const changed = () => store.change({ showsDifferences: !showsDifferences });
  return html`<label><input type="checkbox" .checked=${showsDifferences} @change=${changed}> mark where they differ</label>`;
}

function legend(): TemplateResult {
  return html`<p class="legend">
    <span class="even start">chunk</span><span class="odd start">next</span><span class="odd overlap">overlap</span>
    <span class="gap">left out</span><span class="even over">over the limit</span>
    <span class="odd start differs">◆ differs</span>
  </p>`;
}

/** Asks for a key of the server, which is kept only in memory. */
function keyForm(start: (key: string) => void): TemplateResult {
  const sent = (event: SubmitEvent) => {
    event.preventDefault();
    start(String(new FormData(event.target as HTMLFormElement).get('key')));
  };
  return html`<form class="card key" @submit=${sent}>
    <label>This server requires a key. It is kept until the page is closed.
      <input name="key" type="password" autocomplete="off" required></label>
    <button>Use it</button>
  </form>`;
}

/** The stretch of the text that is selected in the viewer; `undefined` if there is none. */
function selectedText(): Range | undefined {
  const selection = getSelection();
  if (selection === null || selection.isCollapsed) return undefined;
  const offsets = [
    offsetOf(selection.anchorNode, selection.anchorOffset),
    offsetOf(selection.focusNode, selection.focusOffset),
  ];
  const [a, b] = offsets;
  if (a === undefined || b === undefined || a === b) return undefined;
  return { start: Math.min(a, b), end: Math.max(a, b) };
}

/** The text offset of a position in the page: its spans have the offsets where they begin. */
function offsetOf(node: Node | null, offset: number): number | undefined {
  const element = node instanceof Element ? node : node?.parentElement;
  const span = element?.closest<HTMLElement>('.cell span[data-start]');
  if (span) return Number(span.dataset.start) + (node instanceof Element ? 0 : offset);
  const child = node instanceof Element ? node.childNodes[offset] : undefined;
  const next =
    child instanceof HTMLElement
      ? (child.querySelector<HTMLElement>('span[data-start]') ?? child)
      : undefined;
  return next?.dataset.start === undefined ? undefined : Number(next.dataset.start);
}

/** The heads of the columns: the setting, and how long it took. */
function columnsHead(
  settings: readonly Setting[],
  runs: ReadonlyMap<string, Run>,
  active: string,
  choose: (id: string) => void,
): TemplateResult {
  return html`<div class="heads" role="group" aria-label="Columns">
    ${settings.map(({ id, steps }) => {
      const run = runs.get(id) ?? NO_RUN;
      return html`<button class="head setting-${id} ${run.isStale ? 'stale' : ''}" aria-pressed=${id === active} @click=${() => choose(id)}>
        <span class="letter">${id}</span> <strong>${steps.map(({ name }) => name).join(' + ')}</strong>
        <span class="state">${stateOf(run)}</span>
        ${run.isStale || run.error === undefined ? reportsOf(run) : html`<span class="problem">${run.error}</span>`}
      </button>`;
    })}
  </div>`;
}

function stateOf(run: Run): string {
  if (run.isStale) return 'running …';
  if (run.error !== undefined) return 'failed';
  const count = `${run.chunks.length.toLocaleString('en')} chunk${run.chunks.length === 1 ? '' : 's'}`;
  return `${count} · ${run.milliseconds < 10 ? run.milliseconds.toFixed(1) : Math.round(run.milliseconds)} ms`;
}

function reportsOf({ reports }: Run): TemplateResult | typeof nothing {
  const shown = Object.entries(reports).map(([name, value]) => `${name.slice(2)}: ${value}`);
  return shown.length === 0 ? nothing : html`<span class="reports">${shown.join(' · ')}</span>`;
}
