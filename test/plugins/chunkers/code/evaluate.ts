import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defaultNameOf } from '../../../../server/engine/read/request-schemas.ts';
import { printTable, printTitle } from '../../../bench/race/report.ts';
import { meanOf, signed, withInterval } from '../../../eval/retrieval/rows.ts';
import type { Cleanup } from '../../../support/server.ts';
import { openService } from '../../../support/service.ts';
import { type Candidate, ownCandidates, peerCandidates, SIZE, TOKENIZER } from './retrieval/candidates.ts';
import { type CodeSet, LANGUAGES, readCodeSet } from './retrieval/functions.ts';
import { type Found, RETRIEVERS, search } from './retrieval/search.ts';

/** Tokens that a question finds. */
const BUDGET = 1500;
/** What the preset `code` does. */
const OURS = 'code members, separate, names';

type Outcomes = ReadonlyMap<Candidate, Found>;

/**
 * `npm run eval -- code FOLDER`: how well functions are found by what documents them, which is taken out of the text.
 *
 * @param folder has a folder for each language (`python`, `typescript`, `go`, `java`, `rust`), with checkouts
 */
export async function evaluateCode(folder: string): Promise<void> {
  const ends: (() => unknown)[] = [];
  const t: Cleanup = { teardown: (end) => void ends.unshift(end) };
  try {
    const { execute, openers, registry } = await openService(t, { maxDocuments: 1e9, maxBodyBytes: 1e9 });
    const lease = await openers.model(defaultNameOf(registry, 'embedding') ?? '');
    ends.unshift(() => lease.release());
    const tools = { model: lease.value, tokenizer: await openers.tokenizer(TOKENIZER), budget: BUDGET };
    const all: [language: string, found: Outcomes][] = [];
    for (const language of LANGUAGES.filter((one) => existsSync(join(folder, one)))) {
      const set = await readCodeSet(join(folder, language), language);
      const candidates = [...ownCandidates(execute), ...(await peerCandidates(language, tools.tokenizer))];
      const found = new Map<Candidate, Found>();
      for (const one of candidates) found.set(one, await search(set, await one.chunk(set), tools));
      await report(set, found);
      all.push([language, found]);
    }
    const names = [...(all[0]?.[1].keys() ?? [])].map(({ name }) => name);
    const rows = names.map((name, at) => [
      name,
      ...all.map(([, found]) => percent([...found.values()][at]?.recalls.hybrid ?? [])),
    ]);
    printTitle('All languages, by vectors and words together');
    printTable(TITLE, ['', ...all.map(([language]) => language)], rows);
  } finally {
    for (const end of ends) await end();
  }
}

const TITLE = `Recall within ${BUDGET} tokens in percent, chunks of ${SIZE}`;
const percent = (values: readonly number[]) => (100 * meanOf(values)).toFixed(1);
const isWhole = (recall: number) => Number(recall > 0.99);

/** Prints what was found, and how far ours is ahead of each of the others. */
async function report({ language, documents, questions }: CodeSet, found: Outcomes): Promise<void> {
  const characters = documents.reduce((sum, { text }) => sum + text.length, 0) / 1e6;
  printTitle(
    `${language}: ${questions.length} questions, ${documents.length} files, ${characters.toFixed(1)} MB`,
  );
  const ours = [...found].find(([{ name }]) => name === OURS)?.[1].recalls.hybrid ?? [];
  const rows: string[][] = [];
  for (const [{ name }, { recalls, chunks, tokens }] of found) {
    const differences = ours.map((recall, at) => recall - (recalls.hybrid[at] as number));
    const ahead = name === OURS ? '' : await withInterval(differences, [-1, 1], signed);
    const means = RETRIEVERS.map((retriever) => percent(recalls[retriever]));
    const whole = percent(recalls.hybrid.map(isWhole));
    rows.push([name, ...means, whole, String(chunks), tokens.toFixed(0), ahead]);
  }
  const header = ['', ...RETRIEVERS, 'whole', 'chunks', 'tokens', `hybrid, preset less this`];
  printTable(TITLE, header, rows);
}
