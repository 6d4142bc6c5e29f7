import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTexts } from '../../bench/data/texts.ts';
import { printTable, printTitle } from '../../bench/race/report.ts';
import { quantile } from '../../bench/race/statistics.ts';
import { answerTo, composeQuietly } from '../../support/service.ts';
import { EDITS_OF_CODE, EDITS_OF_PROSE, type Edit } from './edits.ts';

const PLACES = 40;
const ROOT = join(import.meta.dirname, '../../..');
/** Most characters of a text; fewer where they are embedded or parsed. */
const MAX_LENGTH = { prose: 1_000_000, semantic: 600_000, code: 600_000 };

/** Languages that `EDITS_OF_CODE` knows the words of, by the endings of their files. */
const LANGUAGES = { ts: 'typescript', js: 'javascript' };

/** A document, and how it is chunked and edited. */
interface Case {
  readonly chunker: string;
  readonly name: string;
  readonly text: string;
  readonly options: object;
  readonly edits: Readonly<Record<string, Edit>>;
}

/** Prints how many chunks of a document have new ids after one edit, which are those to embed again. */
export async function evaluateEdits(sources: string = ROOT): Promise<void> {
  const ids = await openIds();
  printTitle(`Ids that are new after one edit, at ${PLACES} places of each text`);
  const cases = [...casesOfProse(), caseOfCode(sources)];
  const rows: string[][] = [];
  for (const one of cases) rows.push(...(await rowsOf(one, ids)));
  const header = ['', 'chunks', 'edit', 'median', 'p90', 'max', 'mean', 'of 1,000'];
  printTable('New chunks for each edit', header, rows);
}

function casesOfProse(): Case[] {
  return readTexts().flatMap(({ name, text }) => {
    const prose = { edits: EDITS_OF_PROSE, text: text.slice(0, MAX_LENGTH.prose) };
    const counted = ['token', 'sentence', 'recursive'].flatMap((chunker) =>
      ['cl100k_base', 'character'].map((tokenizer) => ({
        ...prose,
        chunker,
        name: `${name}, ${tokenizer}`,
        options: { tokenizer },
      })),
    );
    const head = text.slice(0, MAX_LENGTH.semantic);
    return [...counted, { ...prose, chunker: 'semantic', name, text: head, options: {} }];
  });
}

/** The sources of a folder in the language that it has most of, one behind the other. */
function caseOfCode(folder: string): Case {
  const sources = Object.entries(LANGUAGES).map(([ending, language]) => {
    const options = { cwd: folder, exclude: ['node_modules/**', '**/*.d.ts'] };
    const files = globSync(`**/*.${ending}`, options).sort();
    return { language, text: files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n') };
  });
  const { language, text } = sources.reduce((a, b) => (b.text.length > a.text.length ? b : a));
  if (text === '') throw new Error(`${folder} has no sources in ${Object.values(LANGUAGES).join(' or ')}.`);
  const one = { chunker: 'code', name: language, options: { language }, edits: EDITS_OF_CODE };
  return { ...one, text: text.slice(0, MAX_LENGTH.code) };
}

type Ids = (one: Case, text: string) => Promise<string[]>;

/** The ids that the service gives the chunks of a document that has an id. */
async function openIds(): Promise<Ids> {
  const { service } = await composeQuietly();
  return async ({ chunker, options }, text) => {
    const request = { documents: [{ id: 'the document', text }], include: ['id'], ...options };
    const chunks = await answerTo<{ id: string }[][]>(service, { run: 'chunk', name: chunker }, request);
    return chunks.flat().map(({ id }) => id);
  };
}

async function rowsOf(one: Case, ids: Ids): Promise<string[][]> {
  const before = new Set(await ids(one, one.text));
  const rows: string[][] = [];
  for (const [title, edit] of Object.entries(one.edits)) {
    const counts: number[] = [];
    for (let place = 0; place < PLACES; place++) {
      const offset = Math.floor((one.text.length * (place + 0.5)) / PLACES);
      const after = await ids(one, edit(one.text, offset));
      counts.push(after.filter((id) => !before.has(id)).length);
    }
    rows.push([`${one.chunker}, ${one.name}`, `${before.size}`, title, ...figuresOf(counts, before.size)]);
  }
  return rows;
}

function figuresOf(counts: readonly number[], chunks: number): string[] {
  const at = [0.5, 0.9, 1].map((share) => `${quantile(counts, share)}`);
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return [...at, mean.toFixed(2), ((1000 * mean) / chunks).toFixed(2)];
}
