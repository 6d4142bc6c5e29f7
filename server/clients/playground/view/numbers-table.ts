import { html, nothing, svg, type TemplateResult } from 'lit-html';
import { type Chunk, isKnown, limitOf, NO_RUN, type Run, type Setting } from '../data/model.ts';
import { unitOf } from '../data/settings.ts';
import type { State } from '../data/state.ts';
import { histogramOf, type Numbers, numbersOf } from '../text/numbers.ts';
import { explained, valueIn, type Wiring } from './wiring.ts';

const known = new WeakMap<readonly object[], Numbers>();

export function numbersOfRun(text: string, setting: Setting, { chunks }: Run): Numbers {
  const numbers = known.get(chunks) ?? numbersOf(text, chunks, limitOf(setting));
  known.set(chunks, numbers);
  return numbers;
}

const whole = new Intl.NumberFormat('en');
const percent = (share: number) => `${(100 * share).toFixed(share === 1 || share === 0 ? 0 : 2)} %`;

interface NumberColumn {
  readonly name: string;
  readonly about: string;
  readonly value: (numbers: Numbers) => string;
  readonly isSize?: boolean;
  readonly isBad?: (numbers: Numbers) => boolean;
}

const counted = (name: string, about: string, count: (numbers: Numbers) => number): NumberColumn => ({
  name,
  about,
  value: (numbers) => whole.format(count(numbers)),
});
const size = (name: string, about: string, count: (numbers: Numbers) => number): NumberColumn => ({
  ...counted(name, about, count),
  isSize: true,
});
const unwanted = (name: string, about: string, count: (numbers: Numbers) => number): NumberColumn => ({
  ...counted(name, about, count),
  isBad: (numbers) => count(numbers) > 0,
});

export const NUMBERS: readonly NumberColumn[] = [
  counted('Chunks', 'How many there are', ({ chunks }) => chunks),
  size('Min', 'The smallest chunk', ({ least }) => least),
  size('Median', 'Half of the chunks are smaller', ({ median }) => median),
  size('95 %', '95 % of the chunks are at most as large', ({ p95 }) => p95),
  size('Max', 'The largest chunk', ({ most }) => most),
  unwanted('Over', 'Chunks over the limit', ({ overLimit }) => overLimit),
  {
    name: 'Covered',
    about: 'Share of the text that is covered by chunks',
    value: ({ coverage }) => percent(coverage),
    isBad: ({ coverage }) => coverage < 1,
  },
  unwanted('Sentence', 'Cuts within a sentence', ({ cuts }) => cuts.sentence),
  unwanted('Word', 'Cuts within a word', ({ cuts }) => cuts.word),
  unwanted('Fence', 'Cuts within a Markdown fence', ({ cuts }) => cuts.fence),
  unwanted('Row', 'Cuts within a row of a Markdown table', ({ cuts }) => cuts.row),
  unwanted('Repeated', 'Chunks with the text of an earlier one', ({ duplicates }) => duplicates),
  size('Sum', 'All chunks together, which is what a model embeds', ({ tokens }) => tokens),
];

export function numbersTable(state: State, { store }: Wiring): TemplateResult {
  return html`<table class="numbers">
    <caption class="hidden">Numbers of each setting</caption>
    <thead><tr>
      <th scope="col"><span class="hidden">Setting</span></th>
      <th scope="col">Sizes</th>
      ${NUMBERS.map(({ name, about }, at) => html`<th scope="col">${explained(name, about, `number-${at}`)}</th>`)}
      <th scope="col"><label>Price at<br><input type="text" inputmode="decimal" class="price" placeholder="0.02" .value=${state.price}
        @input=${(event: Event) => store.change({ price: valueIn(event) })}> / M</label></th>
    </tr></thead>
    <tbody>${state.settings.map((setting) => numbersRow(setting, state))}</tbody>
  </table>`;
}

function numbersRow(setting: Setting, { text, runs, price, catalogue }: State): TemplateResult {
  const run = runs.get(setting.id) ?? NO_RUN;
  const letter = html`<th scope="row"><span class="letter">${setting.id}</span></th>`;
  if (!isKnown(run)) {
    const state = run.error === undefined ? 'running …' : 'failed';
    return html`<tr class="setting-${setting.id}">${letter}<td class="brief" colspan=${NUMBERS.length + 2}>${state}</td></tr>`;
  }
  const numbers = numbersOfRun(text, setting, run);
  const unit = unitOf(setting, catalogue);
  const cells = NUMBERS.map(({ value, isBad, isSize = false }) => {
    const bad = isBad?.(numbers) === true;
    return html`<td class=${bad ? 'bad' : ''}>${bad ? html`<span aria-label="unwanted">! </span>` : nothing}${value(numbers)}${isSize ? html` <small>${unit.short}</small>` : nothing}</td>`;
  });
  return html`<tr class="setting-${setting.id} ${run.isStale ? 'stale' : ''}">
    ${letter}
    <td>${histogram(run.chunks, limitOf(setting))}</td>
    ${cells}
    <td>${unit.short === 'tok.' ? costOf(numbers, price) : costUnknown(price)}</td>
  </tr>`;
}

function costUnknown(price: string): unknown {
  return price === '' ? nothing : html`<small>no tokens</small>`;
}

function costOf({ tokens }: Numbers, price: string): unknown {
  const each = Number.parseFloat(price.replace(',', '.'));
  return Number.isFinite(each) ? ((tokens / 1e6) * each).toPrecision(3) : nothing;
}

const CLASSES = 24;
const WIDTH = 240;
const HEIGHT = 40;
const BAR = WIDTH / CLASSES;

function histogram(chunks: readonly Chunk[], limit: number | undefined): TemplateResult {
  const largest = chunks.reduce((most, { token_count }) => Math.max(most, token_count), 1);
  const most = Math.max(limit ?? 0, largest);
  const counts = histogramOf(chunks, most, CLASSES);
  const highest = Math.max(1, ...counts);
  const at = ((limit ?? most) / most) * WIDTH;
  const bars = counts.map((count, index) => {
    const height = count === 0 ? 0 : Math.max(1, (count / highest) * HEIGHT);
    const kind = (index + 0.5) * BAR > at ? 'over' : 'bar';
    return svg`<rect class=${kind} x=${index * BAR} y=${HEIGHT - height} width=${BAR - 1} height=${height}></rect>`;
  });
  const line = svg`<line class="limit" x1=${at} x2=${at} y1="0" y2=${HEIGHT}></line>`;
  const label = `Tokens of ${chunks.length} chunks, from 1 to ${largest}${limit === undefined ? '' : `, with a limit of ${limit}`}`;
  return html`<svg class="histogram" viewBox="0 0 ${WIDTH} ${HEIGHT + 2}" role="img" aria-label=${label}>
    ${bars}${limit === undefined ? nothing : line}
    <line class="axis" x1="0" x2=${WIDTH} y1=${HEIGHT} y2=${HEIGHT}></line>
  </svg>`;
}
