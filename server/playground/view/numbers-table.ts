import { html, nothing, type TemplateResult } from 'lit-html';
import { limitOf, NO_RUN, type Run, type Setting } from '../data/model.ts';
import { type Numbers, numbersOf } from '../text/numbers.ts';
import { histogram } from './histogram.ts';

/** What the numbers are made of. */
export interface Measured {
  readonly text: string;
  readonly settings: readonly Setting[];
  readonly runs: ReadonlyMap<string, Run>;
  readonly price: string;
  setPrice(price: string): void;
}

const known = new WeakMap<readonly object[], Numbers>();

/** The numbers of a run; counted once for its chunks. */
export function numbersOfRun(text: string, setting: Setting, { chunks }: Run): Numbers {
  const numbers = known.get(chunks) ?? numbersOf(text, chunks, limitOf(setting));
  known.set(chunks, numbers);
  return numbers;
}

const whole = new Intl.NumberFormat('en');
const percent = (share: number) => `${(100 * share).toFixed(share === 1 || share === 0 ? 0 : 2)} %`;

type Row = readonly [
  name: string,
  value: (numbers: Numbers) => string,
  isBad?: (numbers: Numbers) => boolean,
];

const counted = (name: string, count: (numbers: Numbers) => number): Row => [
  name,
  (numbers) => whole.format(count(numbers)),
];
const unwanted = (name: string, count: (numbers: Numbers) => number): Row => [
  name,
  (numbers) => whole.format(count(numbers)),
  (numbers) => count(numbers) > 0,
];

const ROWS: readonly Row[] = [
  counted('Chunks', ({ chunks }) => chunks),
  counted('Tokens, least', ({ least }) => least),
  counted('Tokens, median', ({ median }) => median),
  counted('Tokens, 95 %', ({ p95 }) => p95),
  counted('Tokens, most', ({ most }) => most),
  unwanted('Over the limit', ({ overLimit }) => overLimit),
  ['Text covered', ({ coverage }) => percent(coverage), ({ coverage }) => coverage < 1],
  unwanted('Cuts in a sentence', ({ cuts }) => cuts.sentence),
  unwanted('Cuts in a word', ({ cuts }) => cuts.word),
  unwanted('Cuts in a fence', ({ cuts }) => cuts.fence),
  unwanted('Cuts in a table row', ({ cuts }) => cuts.row),
  unwanted('Duplicates', ({ duplicates }) => duplicates),
  counted('Tokens to embed', ({ tokens }) => tokens),
];

/** The numbers of all settings side by side. */
export function numbersTable(measured: Measured): TemplateResult {
  const { text, settings, runs } = measured;
  const columns = settings.map((setting) => {
    const run = runs.get(setting.id) ?? NO_RUN;
    return { setting, run, numbers: numbersOfRun(text, setting, run) };
  });
  const cells = (content: (column: (typeof columns)[number]) => unknown, isBad?: Row[2]) =>
    columns.map((column) => {
      const marks = [column.run.isStale ? 'stale' : '', isBad?.(column.numbers) === true ? 'bad' : ''];
      return html`<td class=${marks.join(' ')}>${content(column)}</td>`;
    });
  const heads = columns.map(
    ({ setting: { id, steps } }) =>
      html`<th scope="col"><span class="letter setting-${id}">${id}</span> ${steps[0]?.name}</th>`,
  );
  return html`<table class="numbers">
    <caption class="hidden">Numbers of each setting</caption>
    <thead><tr><th scope="col"><span class="hidden">Number</span></th>${heads}</tr></thead>
    <tbody>
      <tr><th scope="row">Distribution</th>${cells(({ run, setting }) => histogram(run.chunks, limitOf(setting)))}</tr>
      ${ROWS.map(
        ([name, value, isBad]) =>
          html`<tr><th scope="row">${name}</th>${cells(({ numbers }) => value(numbers), isBad)}</tr>`,
      )}
      <tr><th scope="row">${priceField(measured)}</th>${cells(({ numbers }) => costOf(numbers, measured.price))}</tr>
    </tbody>
  </table>`;
}

function priceField({ price, setPrice }: Measured): TemplateResult {
  const changed = (event: Event) => setPrice((event.target as HTMLInputElement).value);
  return html`<label>Price at <input type="text" inputmode="decimal" class="price" placeholder="0.02" .value=${price}
    @input=${changed}> a million</label>`;
}

function costOf({ tokens }: Numbers, price: string): unknown {
  const each = Number.parseFloat(price.replace(',', '.'));
  return Number.isFinite(each) ? ((tokens / 1e6) * each).toPrecision(3) : nothing;
}
