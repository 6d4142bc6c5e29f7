import { join } from 'node:path';
import t, { type Test } from 'tap';
import { printedBy } from '../../pages/printed.ts';
import { needs } from '../../support/here.ts';
import { temporaryFolder } from '../../support/server.ts';
import { evaluateCorpus } from './evaluate.ts';

/** What `npm run eval -- corpus FOLDER` prints. */

const TEXTS = {
  'tea.md': 'Boil water. 🍵 Black tea steeps for three minutes.\n',
  'more/milk.txt': 'Milk is white. Cheese is made of milk.\n',
};
const QUESTIONS = [
  { question: 'How long does black tea steep?', file: 'tea.md', answer: 'three minutes' },
  { question: 'What is cheese made of?', file: 'more/milk.txt', start_index: 15, end_index: 38 },
];
const CANDIDATES = [
  { name: 'whole', chunker: 'token', config: { tokenizer: 'character', chunk_size: 100 } },
  { name: 'failing', chunker: 'token', config: { tokenizer: 'none' } },
];

async function runOn(t: Test, questions: readonly unknown[], ...flags: string[]) {
  const lines = questions.map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`);
  const folder = await temporaryFolder(t, { ...TEXTS, 'questions.jsonl': lines.join(''), '.hidden': '' });
  const files = await temporaryFolder(t, { 'candidates.json': JSON.stringify(CANDIDATES) });
  const args = [folder, '--candidates', join(files, 'candidates.json'), ...flags];
  const printed = await printedBy(() => evaluateCorpus(args));
  const status = Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  return { status, ...printed };
}

const OF_MODEL = needs('embedding/static', 'tokenizer/huggingface', 'reader/text');

t.test('it prints a row for each candidate', OF_MODEL, async (t) => {
  const { status, stdout, stderr } = await runOn(t, QUESTIONS, '--k', '1');
  t.equal(stderr, '');
  t.equal(status, 0);
  t.match(stdout, /## 2 questions about 2 files, 1 chunks each\n/);
  // Of the 50 characters of the first file 13 answer, of the 39 of the second 23.
  const precision = ((13 / 50 + 23 / 39) / 2).toFixed(3);
  const row = `whole +1\\.000 +${precision} +${precision} +${precision} +44\\.5 +2\n`;
  t.match(stdout, new RegExp(row));
  t.match(stdout, /\n {2}failing: tokenizer: there is no tokenizer "none"/);
});

t.test('it names each line of the questions that is wrong', OF_MODEL, async (t) => {
  const { status, stdout, stderr } = await runOn(t, [
    { ...QUESTIONS[0], answer: 'four minutes' },
    '',
    { ...QUESTIONS[0], answer: ['Boil', 'e'] },
    { ...QUESTIONS[0], file: 'coffee.md' },
    { question: 'Why?', file: 'tea.md' },
    '{',
  ]);
  t.equal(status, 2);
  t.equal(stdout, '');
  for (const line of [
    'questions.jsonl:1: answer: "four minutes" does not stand in tea.md',
    'questions.jsonl:3: answer: "e" stands in tea.md more than once; give start_index and end_index',
    'questions.jsonl:4: file: there is no "coffee.md" in the folder',
    'questions.jsonl:5: expected an answer, or start_index and end_index',
  ])
    t.ok(stderr.includes(`${line}\n`), line);
  t.match(stderr, /questions\.jsonl:6: .*JSON/);
  t.notMatch(stderr, 'Usage');
});

t.test('what the service refuses is said in its words', OF_MODEL, async (t) => {
  const { status, stderr } = await runOn(t, QUESTIONS, '--k', '0');
  t.equal(status, 2);
  t.match(stderr, /^k: expected an integer from 1 to 100, got 0/);
});
