import { defaultNameOf } from '../../../../server/engine/read/request-schemas.ts';
import { printTable, printTitle } from '../../../bench/race/report.ts';
import { meanOf, signed, withInterval } from '../../../eval/retrieval/rows.ts';
import type { Cleanup } from '../../../support/server.ts';
import { openService } from '../../../support/service.ts';
import { ownCandidates, peerCandidates, SIZE, TOKENIZER } from './retrieval/candidates.ts';
import { EXACTNESS, exactnessOf } from './retrieval/exactness.ts';
import { type CodeSet, readCodeSet, readSources } from './retrieval/functions.ts';
import { type Found, RETRIEVERS, search } from './retrieval/search.ts';

/** Tokens that a question finds. */
const BUDGET = 1500;
/** What the preset `code` does. */
const PRESET = 'chunksmith code: members, separate, names';

/** What each candidate found, by its name. */
type Outcomes = ReadonlyMap<string, Found>;

/**
 * `npm run eval -- code FOLDER`: how well functions are found by what documents them, which is taken out of the text.
 *
 * @param folder has a folder `owner+name` with a checkout for each row of `repositories.tsv`
 * @param what the set that is searched, or `exactness`: whether the chunks of all files of all sets are exact
 */
export async function evaluateCode(folder: string, what = 'unseen'): Promise<void> {
  const ends: (() => unknown)[] = [];
  const t: Cleanup = { teardown: (end) => void ends.unshift(end) };
  try {
    const { execute, openers, registry } = await openService(t, { maxDocuments: 1e9, maxBodyBytes: 1e9 });
    const lease = await openers.model(defaultNameOf(registry, 'embedding') ?? '');
    ends.unshift(() => lease.release());
    const tools = { model: lease.value, tokenizer: await openers.tokenizer(TOKENIZER), budget: BUDGET };
    if (what === 'exactness') {
      for (const [language, sources] of Map.groupBy(readSources(), (one) => one.language)) {
        const rows = await exactnessOf(folder, language, sources, execute, tools.tokenizer);
        printTitle(language);
        printTable(`${language}: chunks of ${SIZE} tokens of whole repositories`, EXACTNESS, rows);
      }
      return;
    }
    for (const isBare of [false, true]) {
      const name = isBare ? `${what}, undocumented` : what;
      const all: [set: CodeSet, found: Outcomes][] = [];
      for (const source of readSources().filter((one) => one.name === what)) {
        const set = await readCodeSet(folder, { ...source, name }, isBare);
        const peers = await peerCandidates(set.language, tools.tokenizer);
        const candidates = [...ownCandidates(execute), ...peers].filter(
          (one) => !isBare || !isPlain(one.name),
        );
        const found = new Map<string, Found>();
        for (const one of candidates) found.set(one.name, await search(set, await one.chunk(set), tools));
        await report(set, found);
        all.push([set, found]);
      }
      await summarize(name, all);
    }
  } finally {
    for (const end of ends) await end();
  }
}

const percent = (values: readonly number[]) => (100 * meanOf(values)).toFixed(1);
const isWhole = (recall: number) => Number(recall > 0.99);
const less = (own: Found, other: Found): Promise<string> => {
  const differences = own.recalls.hybrid.map((recall, at) => recall - (other.recalls.hybrid[at] as number));
  return withInterval(differences, [-1, 1], signed);
};

/** Prints what was found in a set, and how far the preset is ahead of each of the others. */
async function report({ name, language, documents, questions }: CodeSet, found: Outcomes): Promise<void> {
  const characters = documents.reduce((sum, { text }) => sum + text.length, 0) / 1e6;
  const size = `${questions.length} questions, ${documents.length} files, ${characters.toFixed(1)} MB`;
  printTitle(`${name} ${language}: ${size}`);
  const preset = found.get(PRESET) as Found;
  const rows: string[][] = [];
  for (const [candidate, own] of found) {
    const means = RETRIEVERS.map((retriever) => percent(own.recalls[retriever]));
    const whole = percent(own.recalls.hybrid.map(isWhole));
    const ahead = candidate === PRESET ? '' : await less(preset, own);
    rows.push([candidate, ...means, whole, String(own.chunks), own.tokens.toFixed(0), ahead]);
  }
  const header = ['', ...RETRIEVERS, 'whole', 'chunks', 'tokens', 'hybrid, preset less this'];
  printTable(`${name} ${language}, ${TITLE}`, header, rows);
}

const TITLE = `recall within ${BUDGET} tokens in percent, chunks of ${SIZE}`;

const isOurs = (name: string) => name.startsWith('chunksmith');
const isPlain = (name: string) => !/names|path/.test(name);
/** Ours and theirs: pairs of whom the best are compared. */
const DUELS: readonly [string, own: (name: string) => boolean, other: (name: string) => boolean][] = [
  ['preset less the best of others', (name) => name === PRESET, (name) => !isOurs(name)],
  [
    'preset less the best of `recursive` and lines',
    (name) => name === PRESET,
    (name) => /recursive|lines/.test(name),
  ],
  [
    'nothing in front: the best of `code` less the best of `recursive`, lines and others',
    (name) => name.includes(' code:') && isPlain(name),
    (name) => !name.includes(' code:') && isPlain(name),
  ],
];

/** Prints a table of all languages, by vectors and words together, with bootstrap intervals. */
async function summarize(set: string, all: readonly [CodeSet, Outcomes][]): Promise<void> {
  const names = [...(all[0]?.[1].keys() ?? [])];
  const row = async (name: string, cell: (found: Outcomes) => Promise<string>) => [
    name,
    ...(await Promise.all(all.map(([, found]) => cell(found)))),
  ];
  const recalls = names.map((name) =>
    row(name, (found) => withInterval((found.get(name) as Found).recalls.hybrid)),
  );
  const best = (found: Outcomes, isOne: (name: string) => boolean) => {
    const some = [...found].filter(([name]) => isOne(name));
    return some.sort(([, a], [, b]) => meanOf(b.recalls.hybrid) - meanOf(a.recalls.hybrid))[0] as [
      string,
      Found,
    ];
  };
  const duels = DUELS.filter(([, own]) => names.some(own)).map(([name, own, other]) =>
    row(name, (found) => less(best(found, own)[1], best(found, other)[1])),
  );
  printTitle(`${set}: all languages, by vectors and words together`);
  const header = all.map(([{ language, questions }]) => `${language} (${questions.length})`);
  printTable(`${set}: ${TITLE}`, ['', ...header], await Promise.all([...recalls, ...duels]));
}
