import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { Chunk } from '../data/model.ts';
import { histogramOf } from '../text/numbers.ts';

const CLASSES = 24;
const WIDTH = 240;
const HEIGHT = 40;
const BAR = WIDTH / CLASSES;

/** How many chunks have how many tokens, up to the limit and beyond it, with a line at the limit. */
export function histogram(chunks: readonly Chunk[], limit: number | undefined): TemplateResult {
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
