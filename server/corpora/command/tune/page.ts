import {
  escaped,
  PLOT_STYLE,
  type PlotPoint,
  percent,
  recallPlot,
} from '../../../clients/playground/text/recall-plot.ts';
import { VERSION } from '../../../config/version.ts';
import { conclusionOf, DERIVED, differenceIn, range, summaryOf, type TuneResult } from './result.ts';

type Candidate = TuneResult['candidates'][number];

const STYLE = `:root{color-scheme:light dark;--back:light-dark(#fbfbf9,#16181b);--card:light-dark(#fff,#1e2125);--line:light-dark(#d9dad4,#34383e);--text:light-dark(#1c1e21,#e6e6e3);--soft:light-dark(#5c6066,#a2a7ae);--accent:light-dark(#0b5cad,#7db8f5);font:16px/1.5 system-ui,sans-serif;background:var(--back);color:var(--text)}
*{box-sizing:border-box}body{margin:0 auto;max-width:64rem;padding:1rem}
.series-dense{--hue:light-dark(#0b5cad,#7db8f5)}.series-bm25{--hue:light-dark(#8a4b00,#f0b35c)}.series-hybrid{--hue:light-dark(#1a6b34,#7fd39b)}
h1{font-size:1.1rem;margin:0}h2{font-size:1rem;margin:2rem 0 .5rem}.verdict{font-size:1.35rem;line-height:1.35;margin:.75rem 0}.soft{color:var(--soft)}
.badge{border:1px solid;border-radius:4px;padding:0 .4em;font-weight:600}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr));gap:1rem}
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.75rem}figcaption{font-weight:600}
.key{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:.5rem 0;padding:0}.key svg{width:16px;height:16px;vertical-align:-2px;fill:var(--hue)}
${PLOT_STYLE}
a:focus-visible,.scroll:focus-visible{outline:2px solid var(--accent);outline-offset:3px}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.9rem}caption{text-align:start;color:var(--soft);padding-bottom:.4rem}
th,td{text-align:start;padding:.3rem .6rem .3rem 0;border-top:1px solid var(--line);vertical-align:middle}td{font-variant-numeric:tabular-nums;white-space:nowrap}th{font-weight:500}tr.chosen th{font-weight:700}:target{background:color-mix(in srgb,var(--accent) 18%,transparent)}
.bar{display:block;width:12rem;max-width:40vw;height:.8rem}.bar rect{fill:var(--accent)}.bar .off{fill:var(--line)}
li{overflow-wrap:anywhere}`;

/** A page without scripts that loads nothing: what was tried, what is best, what matters, and what nothing finds. */
export function pageOf(result: TuneResult): string {
  const { folder, candidates, derived, verdict, not_found, notes } = result;
  const points = (costOf: (one: Candidate) => number) =>
    candidates.map((one, at) => pointOf(one, at, costOf(one), result));
  const about = candidates.length > 1 ? `${candidates.length} candidates` : 'One candidate';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Tuning of ${escaped(folder)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Tuning of ${escaped(folder)}</h1>
<p class="verdict">${escaped(verdict)}</p>
<p class="soft">${derived ? '<strong class="badge">derived</strong> ' : ''}${escaped(summaryOf(result))}${derived ? ` ${DERIVED}` : ''}</p>
<h2>Recall against what it costs</h2>
<ul class="key">${KEY}</ul>
<div class="plots">
${figureOf(
  'Chunks to store and embed',
  recallPlot(
    points(({ chunks }) => chunks),
    'chunks',
    `Recall of ${about} against their chunks; the table below has the numbers`,
  ),
)}
${figureOf(
  'Tokens that a question finds',
  recallPlot(
    points(({ tokens }) => tokens),
    'tokens',
    `Recall of ${about} against the tokens that they find; the table below has the numbers`,
  ),
)}
</div>
<p class="soft">Lines are 95 % intervals. Each point leads to its row in the table.</p>
${factorsOf(result)}
${questionsOf(not_found)}
<h2>All candidates</h2>
${tableOf(result)}
${notes.length === 0 ? '' : `<h2>Left out</h2>\n<ul>${notes.map((one) => `<li>${escaped(one)}</li>`).join('')}</ul>`}
<p class="soft">chunksmith ${VERSION}, seed ${result.seed}</p>
</main>
</body>
</html>
`;
}

/** In the order of the retrievers, which is that of the shapes. */
const KEY = [
  ['bm25', 'words (bm25)', '<circle cx="8" cy="8" r="5.5"/>'],
  ['dense', 'vectors (dense)', '<rect x="3" y="3" width="10" height="10"/>'],
  ['hybrid', 'both (hybrid)', '<path d="M8 .5 15.5 8 8 15.5 .5 8Z"/>'],
]
  .map(
    ([name, words, shape]) =>
      `<li class="series-${name}"><svg viewBox="0 0 16 16" aria-hidden="true">${shape}</svg> ${words}</li>`,
  )
  .join('');

function figureOf(caption: string, plot: string): string {
  return `<figure><figcaption>${caption}</figcaption>\n${plot}</figure>`;
}

function pointOf(one: Candidate, at: number, cost: number, { baseline, chosen }: TuneResult): PlotPoint {
  const { name, recall, interval, retriever: series } = one;
  const label = one === baseline ? 'baseline' : one === chosen ? 'choice' : undefined;
  return { name, recall, interval, cost, series, label, href: `#candidate-${at}` };
}

function factorsOf({ factors }: TuneResult): string {
  if (factors.length === 0) return '';
  const rows = factors.flatMap((factor) =>
    factor.levels.map(({ level, recall }, at) => {
      const bar = `<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="off" width="100" height="6"/><rect width="${recall * 100}" height="6"/></svg>`;
      const head =
        at === 0
          ? `<th scope="rowgroup" rowspan="${factor.levels.length}">${escaped(factor.name)}<br><span class="soft">${conclusionOf(factor)}</span></th>`
          : '';
      return `<tr>${head}<th scope="row">${escaped(level)}</th><td>${percent(recall)}</td><td>${bar}</td></tr>`;
    }),
  );
  return `<h2>What matters</h2>
<div class="scroll" tabindex="0" role="region" aria-label="What matters"><table><caption>Mean recall of each choice, over the same other choices</caption>
<thead><tr><th scope="col">Choice</th><th scope="col">Level</th><th scope="col">Recall</th><td></td></tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div>`;
}

/** How many questions are listed. */
const LISTED = 50;

function questionsOf(questions: TuneResult['not_found']): string {
  if (questions.length === 0) return '<h2>Every question is answered by at least one candidate</h2>';
  const items = questions
    .slice(0, LISTED)
    .map(
      ({ question, place }) => `<li>${escaped(question)} <span class="soft">${escaped(place)}</span></li>`,
    );
  const more = questions.length > LISTED ? `<p class="soft">and ${questions.length - LISTED} more</p>` : '';
  return `<h2>Questions that no candidate answers: ${questions.length}</h2>\n<ul>${items.join('\n')}</ul>${more}`;
}

function tableOf({ candidates, baseline, chosen }: TuneResult): string {
  const rows = candidates.map((one, at) => {
    const kind = one === chosen ? ' class="chosen"' : '';
    const role = [...(one === chosen ? ['choice'] : []), ...(one === baseline ? ['baseline'] : [])].join(
      ', ',
    );
    const name = `${escaped(one.name)}${role === '' ? '' : ` <span class="badge">${role}</span>`}`;
    const difference = one === baseline ? '' : differenceIn(one.difference, one.difference_interval);
    const cells = [
      `${percent(one.recall)} ${range(one.interval)}`,
      difference,
      one.tokens.toFixed(0),
      one.chunks,
      one.retriever === 'bm25' ? 0 : one.chunks,
    ];
    return `<tr id="candidate-${at}"${kind}><th scope="row">${name}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  const heads = ['Candidate', 'Recall', 'Against the baseline, points', 'Tokens found', 'Chunks', 'Embedded'];
  return `<div class="scroll" tabindex="0" role="region" aria-label="All candidates"><table><caption>Recall in percent with its 95 % interval; against the baseline with intervals that hold for all candidates together</caption>
<thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div>`;
}
