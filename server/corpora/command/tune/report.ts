import { table } from '../../../cli/commands/remote.ts';
import {
  escaped,
  PLOT_STYLE,
  type PlotPoint,
  recallPlot,
  percent as withSign,
} from '../../../clients/playground/text/recall-plot.ts';
import { VERSION } from '../../../config/version.ts';
import {
  type Candidate,
  count,
  differenceIn,
  type Factor,
  percent,
  range,
  type TuneResult,
} from './result.ts';

const DERIVED =
  'Derived questions are sentences taken out of the texts: they tell retrievers and large differences in size apart, not two good chunkers. 60 questions of your own say more than 400 of them.';

const SHOWN = 8;

export function inWords(result: TuneResult): string {
  const { candidates, baseline, chosen, factors, not_found, notes, derived, verdict } = result;
  const bestWith = ({ retriever }: Candidate) => candidates.find((one) => one.retriever === retriever);
  const rows = candidates
    .filter((one, at) => at < SHOWN || [baseline, chosen, bestWith(one)].includes(one))
    .map((one) => [
      `${one === chosen ? '*' : ' '} ${one.name}${one === baseline ? ' (baseline)' : ''}`,
      ...figuresOf(one, baseline),
    ]);
  const head = ['  candidate', 'recall, %', 'against the baseline', 'tokens', 'chunks'];
  const lines = factors.map((factor) => {
    const levels = factor.levels.map(({ level, recall }) => `${level} ${percent(recall)}`);
    return `  ${factor.name}: ${levels.join(', ')}: ${conclusionOf(factor)}`;
  });
  const [lost] = not_found;
  return [
    `${summaryOf(result)}\n`,
    `${table([head, ...rows])}\n`,
    ...(lines.length > 0 ? [`Each choice, over the same other choices:\n${lines.join('\n')}\n`] : []),
    ...(lost
      ? [`Nothing finds ${count(not_found.length, 'question')}, such as "${lost.question}" (${lost.place}).`]
      : []),
    ...notes,
    ...(derived ? [DERIVED] : []),
    verdict,
  ].join('\n');
}

function figuresOf(one: Candidate, baseline: Candidate): string[] {
  const difference = one === baseline ? '' : differenceIn(one);
  return [
    `${percent(one.recall)} ${range(one.interval)}`,
    difference,
    one.tokens.toFixed(0),
    `${one.chunks}`,
  ];
}

function summaryOf({ documents, questions, derived, budget, tried, of }: TuneResult): string {
  const asked = count(questions, derived ? 'derived question' : 'question');
  return `${count(documents, 'document')}, ${asked}, ${budget} tokens each; ${tried} of ${of} ways to chunk were tried.`;
}

function conclusionOf({ levels, best }: Factor): string {
  return best.length === levels.length ? 'not decided' : `${best.join(' or ')}, decided`;
}

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

export function pageOf(result: TuneResult): string {
  const { folder, candidates, derived, verdict, not_found, notes, baseline, chosen } = result;
  const compared = [...new Set([chosen, baseline])];
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
${tableOf(
  'The choice and the baseline',
  HEADS,
  compared.map((one) => rowOf(one, result)),
)}
<p class="soft">${derived ? '<strong class="badge">derived</strong> ' : ''}${escaped(summaryOf(result))}${derived ? ` ${DERIVED}` : ''}</p>
<h2>Recall against what it costs</h2>
<ul class="key">${KEY}</ul>
<div class="plots">
${figureOf('Chunks to store and embed', 'chunks', result)}
${figureOf('Tokens that a question finds', 'tokens', result)}
</div>
<p class="soft">Lines are 95 % intervals. Each point leads to its row in the table.</p>
${factorsIn(result)}
${questionsIn(not_found)}
<h2>All candidates</h2>
${tableOf(
  EXPLAINED,
  HEADS,
  candidates.map((one, at) => rowOf(one, result, at)),
)}
${listOf('Notes', notes.map(escaped))}
<p class="soft">chunksmith ${VERSION}</p>
</main>
</body>
</html>
`;
}

/** In the order of the retrievers, which is also the order of the shapes. */
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

function figureOf(caption: string, axis: 'chunks' | 'tokens', result: TuneResult): string {
  const { candidates, baseline, chosen } = result;
  const points = candidates.map((one, at): PlotPoint => {
    const { name, recall, interval, retriever: series } = one;
    const label = one === baseline ? 'baseline' : one === chosen ? 'choice' : undefined;
    return { name, recall, interval, cost: one[axis], series, label, href: `#candidate-${at}` };
  });
  const title = `Recall of ${count(points.length, 'candidate')} against their ${axis}; the table below has the numbers`;
  return `<figure><figcaption>${caption}</figcaption>\n${recallPlot(points, axis, title)}</figure>`;
}

function factorsIn({ factors }: TuneResult): string {
  if (factors.length === 0) return '';
  const rows = factors.flatMap((factor) =>
    factor.levels.map(({ level, recall }, at) => {
      const bar = `<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="off" width="100" height="6"/><rect width="${recall * 100}" height="6"/></svg>`;
      const head =
        at === 0
          ? `<th scope="rowgroup" rowspan="${factor.levels.length}">${escaped(factor.name)}<br><span class="soft">${escaped(conclusionOf(factor))}</span></th>`
          : '';
      return `<tr>${head}<th scope="row">${escaped(level)}</th><td>${withSign(recall)}</td><td>${bar}</td></tr>`;
    }),
  );
  const caption = 'Mean recall of each choice, over the same other choices';
  return `<h2>What matters</h2>\n${tableOf(caption, ['Choice', 'Level', 'Recall', ''], rows)}`;
}

const LISTED = 50;

function questionsIn(questions: TuneResult['not_found']): string {
  if (questions.length === 0) return '<h2>Every question is answered by at least one candidate</h2>';
  const items = questions
    .slice(0, LISTED)
    .map(({ question, place }) => `${escaped(question)} <span class="soft">${escaped(place)}</span>`);
  const more = questions.length > LISTED ? [`and ${questions.length - LISTED} more`] : [];
  return listOf(`Questions that no candidate answers: ${questions.length}`, [...items, ...more]);
}

function listOf(title: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  return `<h2>${title}</h2>\n<ul>${items.map((one) => `<li>${one}</li>`).join('\n')}</ul>`;
}

const HEADS = ['Candidate', 'Recall', 'Against the baseline, points', 'Tokens found', 'Chunks', 'Embedded'];
const EXPLAINED =
  'Recall in percent with its 95 % interval; against the baseline with intervals that hold for all candidates together';

/** @param at index by which plots refer to the row */
function rowOf(one: Candidate, { baseline, chosen }: TuneResult, at?: number): string {
  const roles = [...(one === chosen ? ['choice'] : []), ...(one === baseline ? ['baseline'] : [])];
  const badge = roles.length === 0 ? '' : ` <span class="badge">${roles.join(', ')}</span>`;
  const cells = [...figuresOf(one, baseline), one.retriever === 'bm25' ? 0 : one.chunks];
  const marks = `${at === undefined ? '' : ` id="candidate-${at}"`}${one === chosen ? ' class="chosen"' : ''}`;
  return `<tr${marks}><th scope="row">${escaped(one.name)}${badge}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

function tableOf(caption: string, heads: readonly string[], rows: readonly string[]): string {
  const headed = heads.map((head) => (head === '' ? '<td></td>' : `<th scope="col">${head}</th>`)).join('');
  return `<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption>
<thead><tr>${headed}</tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div>`;
}
