import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { reasonOf } from '../../../core/errors.ts';
import { lackedWords, wordsOf } from '../../plugins/readers/words.ts';
import { plain, REFERENCES, type Reference, readText } from './references.ts';

/**
 * `npm run eval -- words FOLDER`: which share of the words of other programs the readers of books, mail and OpenDocument find,
 * file by file. Of two programs that read a kind, the one whose words are found more often counts. With `LACKED=1` it lists
 * the words that are lacked.
 */

interface Result {
  readonly name: string;
  readonly share: number;
  readonly of: number;
  readonly lacked: string;
}

interface Skipped {
  readonly name: string;
  readonly why: string;
}

const GOOD = 0.999;
const MAX_LISTED = Number(process.env.LACKED ?? 0) > 0 ? 4000 : 120;

export async function evaluateWords(folder: string): Promise<void> {
  const files = globSync('**/*', { cwd: folder }).sort();
  for (const { kind, endings, texts } of REFERENCES) {
    const paths = files.filter((name) => endings.test(name)).map((name) => join(folder, name));
    if (paths.length === 0) continue;
    const results: Result[] = [];
    const skipped: Skipped[] = [];
    const references = await kept(join(folder, `.${kind}.json`), paths, texts);
    for (const path of paths) {
      const name = basename(path);
      const skip = (why: string): void => void skipped.push({ why, name });
      const found = references[path] ?? [];
      const expected = found.map(wordsOf).filter((words) => words.length > 0);
      if (found.length === 0) skip('the references do not read it');
      else if (expected.length === 0) skip('no words');
      else
        try {
          const own = wordsOf(plain(await read(path)));
          results.push(best(name, expected, own));
        } catch (error) {
          skip(reasonOf(error).slice(0, 120));
        }
    }
    report(kind, results, skipped);
  }
}

type Texts = Readonly<Record<string, readonly string[]>>;

/** What the references read, by path. It is kept in a file, because they take minutes; delete it to run them again. */
async function kept(file: string, paths: readonly string[], texts: Reference['texts']): Promise<Texts> {
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  const references = texts.map((text) => text(paths));
  const found: Record<string, string[]> = {};
  for (const path of paths) {
    const all = await Promise.all(references.map((of) => of(path)));
    found[path] = all.filter((text) => text !== undefined);
  }
  writeFileSync(file, JSON.stringify(found));
  return found;
}

async function read(path: string): Promise<string> {
  const name = basename(path);
  const reader = /\.(?:eml|mbox)$/i.test(name) ? 'mail' : /\.epub$/i.test(name) ? 'epub' : 'odf';
  return readText(reader, readFileSync(path), { name });
}

function best(name: string, expected: readonly string[][], own: readonly string[]): Result {
  const results = expected.map((words): Result => {
    const lacked = lackedWords(words, own);
    const share = 1 - lacked.length / words.length;
    return { name, share, of: words.length, lacked: lacked.join(' ') };
  });
  return results.reduce((one, other) => (other.share > one.share ? other : one));
}

function report(kind: string, results: readonly Result[], skipped: readonly Skipped[]): void {
  const sorted = results.toSorted((one, other) => one.share - other.share);
  const mean = results.reduce((sum, { share }) => sum + share, 0) / results.length;
  const median = sorted[sorted.length >> 1]?.share ?? Number.NaN;
  const bad = sorted.filter(({ share }) => share < GOOD);
  console.log(
    `\n${kind}: ${results.length} files, mean ${mean.toFixed(4)}, median ${median.toFixed(4)}, ${bad.length} below ${GOOD}`,
  );
  for (const [why, files] of Map.groupBy(skipped, ({ why }) => why))
    console.log(`  skipped ${files.length}: ${why}: ${files.map(({ name }) => name).join(' ')}`);
  for (const { name, share, of, lacked } of bad)
    console.log(`  ${share.toFixed(4)} of ${of} ${name}: ${lacked.slice(0, MAX_LISTED)}`);
}
