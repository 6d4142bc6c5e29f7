import { render } from 'lit-html';
import { Actions, locate } from './data/actions.ts';
import { fromHash, toHash } from './data/address.ts';
import { askAgain, changeQuestion, NOTHING_FOUND, RETRIEVERS, showTokens } from './data/inquiry.ts';
import { LETTERS } from './data/model.ts';
import { endNotices } from './data/notices.ts';
import { SAMPLES } from './data/samples.ts';
import { createStore, type State } from './data/state.ts';
import { columnsOf } from './text/pieces.ts';
import { PLOT_STYLE } from './text/recall-plot.ts';
import { copy, save } from './view/export.ts';
import { pageOf } from './view/page.ts';
import { PdfPages, pageShown, revealBox } from './view/page-panel.ts';
import { reportOf } from './view/report.ts';
import { Viewer } from './view/viewer.ts';

const [sample] = SAMPLES as [(typeof SAMPLES)[number]];
const shared = await fromHash(location.hash);
const narrow = matchMedia('(width < 800px)');
const store = createStore<State>({
  isNarrow: narrow.matches,
  catalogue: undefined,
  problem: undefined,
  needsKey: false,
  text: shared?.text ?? sample.text,
  source: shared?.text === undefined ? sample.name : 'Shared text',
  origin: undefined,
  located: undefined,
  showsPages: true,
  page: undefined,
  drawn: undefined,
  isEditing: false,
  settings: shared?.settings ?? [],
  runs: new Map(),
  selection: undefined,
  active: LETTERS[0],
  unit: 'code_point',
  showsDifferences: true,
  opened: undefined,
  price: '',
  tokenizer: '',
  tokens: [],
  asked: {
    question: '',
    retriever: RETRIEVERS[0],
    model: '',
    count: 3,
    answer: undefined,
    kept: [],
    found: NOTHING_FOUND,
    tokenizer: '',
    isAsked: false,
    isAsking: false,
    problem: '',
  },
  sharesText: false,
  notice: '',
});
const actions = new Actions(store);
const viewer = new Viewer({
  select: (column, chunk) => actions.select(store.state.settings[column]?.id ?? '', chunk),
  move: (by) => moveTo(by),
});

const pages = new PdfPages((drawn) => store.change({ drawn }));

function reveal(): void {
  const { selection, runs } = store.state;
  const chunk = runs.get(selection?.setting ?? '')?.chunks[selection?.chunk ?? -1];
  if (chunk !== undefined) queueMicrotask(() => viewer.reveal(chunk.start_index));
}

function moveTo(by: 1 | -1): void {
  actions.move(by);
  reveal();
}

const wiring = {
  store,
  actions,
  viewer: viewer.element,
  move: moveTo,
  show(setting: string, chunk: number) {
    actions.select(setting, chunk);
    viewer.element.scrollIntoView({ block: 'nearest' });
    reveal();
  },
  async copyLink() {
    const { settings, text, sharesText } = store.state;
    const hash = await toHash({ settings, text: sharesText ? text : undefined });
    if (await copy(`${location.href.split('#')[0]}#${hash}`))
      actions.notify(sharesText ? 'Copied a link with the text.' : 'Copied a link.');
  },
  saveReport: () => save('chunks.html', 'text/html', reportOf(store.state)),
};

// A constructed style sheet, because the page's Content Security Policy forbids inline styles.
const plots = new CSSStyleSheet();
plots.replaceSync(PLOT_STYLE);
document.adoptedStyleSheets.push(plots);

const root = document.querySelector('#app') as HTMLElement;
root.replaceChildren();
let shown: State | undefined;

const SHOWN = ['text', 'runs', 'selection', 'showsDifferences', 'settings'] as const;

const PAGE = ['selection', 'located', 'page', 'drawn', 'showsPages'] as const;

store.watch((state) => {
  render(pageOf(state, wiring), root);
  if (state.catalogue === undefined) return;
  const before = shown;
  shown = state;
  const isOther =
    SHOWN.some((name) => before?.[name] !== state[name]) || before?.asked.found !== state.asked.found;
  if (isOther) viewer.show(state.text, columnsOf(state));
  if (before?.tokens !== state.tokens) viewer.showTokens(state.tokens);
  if (before?.settings !== state.settings) void keepInAddress(state);
  if (before !== undefined && before.text !== state.text) forgetText();
  askAgain(store);
  void locate(store);
  pages.show(pageShown(state));
  const isOtherPage = PAGE.some((name) => before?.[name] !== state[name]);
  if (isOtherPage) revealBox(root);
});

function forgetText(): void {
  changeQuestion(store, { answer: undefined, kept: [] });
  if (store.state.tokenizer !== '') void showTokens(store, store.state.tokenizer);
}

/** Keeps the settings in the URL. Only copied links can also contain the text. */
async function keepInAddress({ settings }: State): Promise<void> {
  history.replaceState(null, '', `#${await toHash({ settings, text: undefined })}`);
}

function acceptDrops(root: HTMLElement, open: (file: File) => void): void {
  const mark = (event: DragEvent, isOver: boolean) => {
    if (event.dataTransfer?.types.includes('Files') !== true) return;
    event.preventDefault();
    root.classList.toggle('dropping', isOver);
  };
  document.addEventListener('dragover', (event) => mark(event, true));
  document.addEventListener('dragleave', (event) => mark(event, false));
  document.addEventListener('drop', (event) => {
    mark(event, false);
    const [file] = event.dataTransfer?.files ?? [];
    if (file !== undefined) open(file);
  });
}

narrow.addEventListener('change', ({ matches }) => store.change({ isNarrow: matches }));
endNotices(store, document);
acceptDrops(root, (file) => void actions.openFile(file));
void actions.start();
