import { table } from '../../../cli/commands/remote.ts';
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
