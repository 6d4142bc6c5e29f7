import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { printTable, printTitle } from '../bench/race/report.ts';
import { between, createRandom, type Random } from '../support/random.ts';
import { answerTo, composeQuietly } from '../support/service.ts';
import type { JoinedDocument } from './documents.ts';
import { meanScore, type Score, score } from './segmentation.ts';

const TEXTS = 40;
const PIECES = 10;
/** Characters of a piece, and options that let a chunk be as long as a piece. */
const SIZES = [
  { name: '150 to 400 characters', least: 150, most: 400, options: {} },
  { name: '400 to 900 characters', least: 400, most: 900, options: { chunk_size: 4000 } },
] as const;

/** Ends of sentences in most scripts. */
const SENTENCE = /[^.!?。！？।؟\n]*[.!?。！？।؟\n]*\s*/g;

/**
 * Prints how well `semantic` finds in texts of ten pieces where one of another document begins.
 *
 * @param folder has a folder of plain texts for each language
 */
export async function evaluateTopics(folder: string): Promise<void> {
  const { service } = await composeQuietly();
  const names = globSync('*/', { cwd: folder }).sort();
  printTitle(`Topics: ${TEXTS} texts of ${PIECES} pieces of different documents, semantic with mode cluster`);
  const rows: string[][] = [];
  for (const { name: size, least, most, options } of SIZES) {
    for (const name of names) {
      const documents = globSync('**/*.*', { cwd: join(folder, name) }).sort();
      const texts = documents.map((file) => readFileSync(join(folder, name, file), 'utf8'));
      const random = createRandom(7);
      const scores: Score[] = [];
      for (let count = 0; count < TEXTS; count++) {
        const joined = joinPieces(texts, between(random, least, most), random);
        const request = { text: joined.text, mode: 'cluster', offset_unit: 'utf16', ...options };
        const chunks = await answerTo<{ end_index: number }[]>(
          service,
          { run: 'chunk', name: 'semantic' },
          request,
        );
        scores.push(
          score(
            joined,
            chunks.slice(0, -1).map(({ end_index }) => nearest(joined.ends, end_index) + 1),
          ),
        );
      }
      const { pk, f1, ratio } = meanScore(scores);
      rows.push([`${name}, ${size}`, ...[pk, f1, ratio].map((value) => value.toFixed(3))]);
    }
  }
  printTable(
    'Boundaries (Pk: lower is better, F1: higher is better)',
    ['', 'Pk', 'F1', 'found per true one'],
    rows,
  );
}

/** A text of pieces of different documents, each of at least `least` characters, with whole sentences. */
function joinPieces(texts: readonly string[], least: number, random: Random): JoinedDocument {
  const pieces: string[][] = [];
  const used = new Set<number>();
  for (let tries = 0; pieces.length < PIECES && tries < 100 * PIECES; tries++) {
    const at = between(random, 0, texts.length - 1);
    const sentences = (texts[at] as string).match(SENTENCE)?.filter((one) => one.trim() !== '') ?? [];
    const from = between(random, 0, Math.max(sentences.length - 1, 0));
    const piece: string[] = [];
    let length = 0;
    for (let next = from; next < sentences.length && length < least; next++) {
      piece.push(sentences[next] as string);
      length += (sentences[next] as string).length;
    }
    if (used.has(at) || length < least) continue;
    used.add(at);
    pieces.push([...piece.slice(0, -1), `${piece.at(-1)?.trimEnd()}\n\n`]);
  }
  let [end, start] = [0, 0];
  return {
    text: pieces.flat().join(''),
    ends: pieces.flat().map(({ length }) => (end += length)),
    starts: pieces.slice(0, -1).map(({ length }) => (start += length)),
  };
}

/** The index of the nearest of rising numbers. */
function nearest(ends: readonly number[], place: number): number {
  const distances = ends.map((end) => Math.abs(end - place));
  return distances.indexOf(Math.min(...distances));
}
