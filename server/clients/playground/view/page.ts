import { html, nothing, type TemplateResult } from 'lit-html';
import { showTokens } from '../data/inquiry.ts';
import { type Catalogue, MAX_SETTINGS, NO_RUN, type Run, type Step, type Unit } from '../data/model.ts';
import { presetOf } from '../data/settings.ts';
import type { State, Store } from '../data/state.ts';
import { chunkDetails, labelOf, UNITS } from './chunk-details.ts';
import { numbersTable } from './numbers-table.ts';
import { pagePanel } from './page-panel.ts';
import { foundChunks, questionPanel } from './question-panel.ts';
import { settingCard } from './setting-card.ts';
import { textPanel } from './text-panel.ts';
import { valueIn, type Wiring } from './wiring.ts';

export function pageOf(state: State, wiring: Wiring): TemplateResult {
  const { catalogue, problem, needsKey } = state;
  const { store, actions } = wiring;
  const shares = () => store.change({ sharesText: !store.state.sharesText });
  return html`<header class="bar">
      <h1>Chunksmith <span>playground</span></h1>
      <nav aria-label="Pages"><a href="docs">Docs</a> <a href="redoc">Reference</a></nav>
      <div class="share">
        <label><input type="checkbox" .checked=${state.sharesText} @change=${shares}> Include the text in the link</label>
        <button @click=${wiring.copyLink}>Copy link</button>
        <button @click=${wiring.saveReport}>Save report</button>
      </div>
    </header>
    ${problem === undefined ? nothing : html`<p class="problem" role="alert">${problem}</p>`}
    ${needsKey ? keyForm((key) => void actions.start(key)) : nothing}
    ${catalogue === undefined && problem === undefined && !needsKey ? html`<p class="waiting" role="status">Asking the server what it offers …</p>` : nothing}
    ${catalogue === undefined ? nothing : html`<div class="page">${side(state, catalogue, wiring)}${stage(state, wiring)}</div>`}
    <p class="notice" role="status">${state.notice}</p>`;
}

function side(state: State, catalogue: Catalogue, wiring: Wiring): TemplateResult {
  const { settings } = state;
  const isFull = settings.length >= MAX_SETTINGS;
  return html`<div class="side">
    ${textPanel(state, wiring)}
    ${settings.map((setting) => settingCard({ ...wiring, state, catalogue, setting }))}
    <button class="wide" ?disabled=${isFull} @click=${() => wiring.actions.addSetting()}>+ Compare with another setting</button>
    ${state.isNarrow ? nothing : html`${chunkDetails(state, wiring)}${foundChunks(state, wiring)}`}
  </div>`;
}

function stage(state: State, wiring: Wiring): TemplateResult {
  const { active, isNarrow } = state;
  const { store } = wiring;
  const tools = html`<div class="tools">
    ${unitChoice(state, store)}${tokenChoice(state, store)}${differencesChoice(state, store)}${legend()}
  </div>`;
  return html`<main class="stage" data-active=${active}>
    ${isNarrow ? nothing : tools}
    <div class="work">
      ${columnsHead(state, wiring)}
      <div class="frame">${wiring.viewer}</div>
      ${pagePanel(state, wiring)}
      ${isNarrow ? html`${tools}${chunkDetails(state, wiring)}` : nothing}
    </div>
    <div class="scroll" tabindex="0" role="region" aria-label="Numbers">
      ${numbersTable(state, wiring)}
    </div>
    ${questionPanel(state, wiring)}
    ${isNarrow ? foundChunks(state, wiring) : nothing}
  </main>`;
}

function unitChoice({ unit }: State, store: Store<State>): TemplateResult {
  const option = ([value, name]: [string, string]) =>
    html`<option value=${value} .selected=${value === unit}>${name}</option>`;
  return html`<label>Offsets in <select @change=${(event: Event) => store.change({ unit: valueIn(event) as Unit })}>
    ${Object.entries(UNITS).map(option)}
  </select></label>`;
}

function tokenChoice({ tokenizer, catalogue }: State, store: Store<State>): TemplateResult {
  return html`<label>Underline tokens of <select @change=${(event: Event) => void showTokens(store, valueIn(event))}>
    <option value="" .selected=${tokenizer === ''}>no tokenizer</option>
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

function titleOf(steps: readonly Step[], catalogue: Catalogue | undefined): string {
  const preset = catalogue && presetOf(steps, catalogue);
  return preset?.name ?? steps.map(({ name }) => name).join(' + ');
}

function columnsHead({ settings, runs, active, catalogue }: State, { store }: Wiring): TemplateResult {
  return html`<div class="heads" role="group" aria-label="Columns">
    ${settings.map(({ id, steps }) => {
      const run = runs.get(id) ?? NO_RUN;
      return html`<button class="head setting-${id} ${run.isStale ? 'stale' : ''}" aria-pressed=${id === active} @click=${() => store.change({ active: id })}>
        <span class="letter">${id}</span> <strong>${titleOf(steps, catalogue)}</strong>
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
  const shown = Object.entries(reports).map(([name, value]) => `${labelOf(name)}: ${value}`);
  return shown.length === 0 ? nothing : html`<span class="reports">${shown.join(' · ')}</span>`;
}
