import { html, nothing, render, type TemplateResult } from 'lit-html';
import { Actions } from './data/actions.ts';
import { LETTERS, MOST_SETTINGS, NO_RUN, type Unit } from './data/model.ts';
import { SAMPLES } from './data/samples.ts';
import type { State } from './data/state.ts';
import { createStore } from './data/store.ts';
import { differencesOf } from './text/differences.ts';
import { chunkDetails, UNITS } from './view/chunk-details.ts';
import type { Column } from './view/columns.ts';
import { columnsHead } from './view/columns-head.ts';
import { acceptDrops } from './view/drop.ts';
import { keyForm } from './view/key-form.ts';
import { numbersTable } from './view/numbers-table.ts';
import { settingCard } from './view/setting-card.ts';
import { textPanel } from './view/text-panel.ts';
import { Viewer } from './view/viewer.ts';

const [sample] = SAMPLES as [(typeof SAMPLES)[number]];
const store = createStore<State>({
  catalogue: undefined,
  problem: undefined,
  needsKey: false,
  text: sample.text,
  source: sample.name,
  isEditing: false,
  settings: [],
  runs: new Map(),
  selection: undefined,
  active: LETTERS[0],
  unit: 'code_point',
  showsDifferences: true,
  opened: undefined,
  price: '',
  notice: '',
});
const actions = new Actions(store);
const viewer = new Viewer({
  select: (column, chunk) => actions.select(store.state.settings[column]?.id ?? '', chunk),
  move: (by) => moveTo(by),
});

function moveTo(by: 1 | -1): void {
  actions.move(by);
  const { selection, runs } = store.state;
  const chunk = selection === undefined ? undefined : runs.get(selection.setting)?.chunks[selection.chunk];
  // Once the chunk is marked.
  if (chunk !== undefined) queueMicrotask(() => viewer.reveal(chunk.start_index));
}

const NO_DIFFERENCES: ReadonlySet<number> = new Set();
const NO_HITS: ReadonlyMap<number, number> = new Map();

/** What the columns show. */
function columnsOf({ settings, runs, selection, showsDifferences }: State): Column[] {
  const shown = settings.map((setting) => runs.get(setting.id) ?? NO_RUN);
  const isCompared = showsDifferences && settings.length > 1;
  const differences = isCompared ? differencesOf(shown.map(({ chunks }) => chunks)) : [];
  return settings.map((setting, index) => ({
    setting,
    run: shown[index] ?? NO_RUN,
    differences: differences[index] ?? NO_DIFFERENCES,
    selected: selection?.setting === setting.id ? selection.chunk : -1,
    hits: NO_HITS,
  }));
}

function page(state: State): TemplateResult {
  const { catalogue, problem, needsKey } = state;
  const start = (key: string) => void actions.start(key);
  return html`<header class="bar">
      <h1>Chunksmith <span>playground</span></h1>
      <nav aria-label="Pages"><a href="docs">Docs</a> <a href="redoc">Reference</a></nav>
    </header>
    ${problem === undefined ? nothing : html`<p class="problem" role="alert">${problem}</p>`}
    ${needsKey ? keyForm(start) : nothing}
    ${catalogue === undefined ? nothing : html`<div class="page">${side(state)}${stage(state)}</div>`}
    <p class="notice" role="status">${state.notice}</p>`;
}

function side(state: State): TemplateResult {
  const { catalogue, settings, runs, opened, text, source, isEditing } = state;
  const isFull = settings.length >= MOST_SETTINGS;
  return html`<div class="side">
    ${textPanel({
      text,
      source,
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
        canRemove: settings.length > 1,
        change: (steps) => actions.changeSteps(setting.id, steps),
        remove: () => actions.removeSetting(setting.id),
        toggle: () => store.change({ opened: opened === setting.id ? undefined : setting.id }),
      }),
    )}
    <button class="wide" ?disabled=${isFull} @click=${() => actions.addSetting()}>+ Compare with another setting</button>
  </div>`;
}

function stage(state: State): TemplateResult {
  const { settings, runs, active, text, price, selection } = state;
  const run = selection === undefined ? undefined : runs.get(selection.setting);
  const chunk = selection === undefined ? undefined : run?.chunks[selection.chunk];
  const setting = settings.find(({ id }) => id === selection?.setting);
  return html`<main class="stage" data-active=${active}>
    <div class="tools">${unitChoice(state)}${differencesChoice(state)}${legend()}</div>
    ${columnsHead(settings, runs, active, (id) => store.change({ active: id }))}
    <div class="frame">${viewer.element}</div>
    ${
      chunk === undefined || setting === undefined || run === undefined
        ? nothing
        : chunkDetails({
            setting,
            chunk,
            index: selection?.chunk ?? 0,
            count: run.chunks.length,
            text,
            unit: state.unit,
            move: moveTo,
            close: () => store.change({ selection: undefined }),
          })
    }
    <div class="scroll">${numbersTable({ text, settings, runs, price, setPrice: (price) => store.change({ price }) })}</div>
  </main>`;
}

function unitChoice({ unit }: State): TemplateResult {
  const chosen = (event: Event) => store.change({ unit: (event.target as HTMLSelectElement).value as Unit });
  const option = ([value, name]: [string, string]) =>
    html`<option value=${value} .selected=${value === unit}>${name}</option>`;
  return html`<label>Offsets in <select @change=${chosen}>${Object.entries(UNITS).map(option)}</select></label>`;
}

function differencesChoice({ showsDifferences, settings }: State): TemplateResult | typeof nothing {
  if (settings.length < 2) return nothing;
  const changed = () => store.change({ showsDifferences: !showsDifferences });
  return html`<label><input type="checkbox" .checked=${showsDifferences} @change=${changed}> mark where they differ</label>`;
}

function legend(): TemplateResult {
  return html`<p class="legend" aria-label="Legend">
    <span class="even start">chunk</span><span class="odd start">next</span><span class="odd overlap">overlap</span>
    <span class="gap">left out</span><span class="even over">over the limit</span><span class="odd start differs">differs</span>
  </p>`;
}

const root = document.querySelector('#app') as HTMLElement;
let shown: Pick<State, 'text' | 'runs' | 'selection' | 'showsDifferences' | 'settings'> | undefined;
store.watch((state) => {
  render(page(state), root);
  const { text, runs, selection, showsDifferences, settings } = state;
  const isSame =
    shown?.text === text &&
    shown.runs === runs &&
    shown.selection === selection &&
    shown.showsDifferences === showsDifferences &&
    shown.settings === settings;
  if (isSame || state.catalogue === undefined) return;
  shown = { text, runs, selection, showsDifferences, settings };
  viewer.show(text, columnsOf(state));
});
acceptDrops(root, (file) => void actions.openFile(file));
void actions.start();
