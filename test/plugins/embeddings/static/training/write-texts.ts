import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forEachPart } from '../../../../../plugins/embeddings/static/lexical/lexical-vectors.ts';
import { sentencesBy } from '../../../../../plugins/toolkit/prose/index.ts';
import { createRandom } from '../../../../support/random.ts';

/**
 * Writes the parts of texts that belong together: `node write-texts.ts PAGES OUTPUT`. PAGES has a folder for each language, with
 * sources and their pages below it. OUTPUT/<language> has files of unsigned integers: `parts` and `often`, in how many
 * paragraphs each part is; `lengths`, `hashes` and `counts` of the parts of texts; and `pairs` of texts.
 */
const [pages = '', output = ''] = process.argv.slice(2);

/** Passages of one source and of one language, so that none outweighs the others. */
const MOST_OF_SOURCE = 6000;
const MOST_OF_LANGUAGE = 20_000;
/** Characters of a passage and of a sentence; in Chinese, Japanese and Korean, a character says more. */
const PASSAGE = 700;
const SENTENCE = 40;
const DENSE = new Set(['ja', 'ko', 'zh']);
const DENSE_SHARE = 0.45;
/** How often a passage keeps the sentence that it is paired with, as it has the words of a question. */
const KEPT = 0.5;

const sentences = sentencesBy({
  delim: ['\n', '. ', '! ', '? ', '。', '！', '？', '｡', '। ', '؟ '],
  include_delim: 'prev',
  min_characters_per_sentence: 12,
  oversize: 'keep',
});

interface Passage {
  readonly heading: string;
  readonly text: string;
}

/** Joins the new paragraphs below each heading to passages. The title of the page stands before a heading. */
function passagesOf(page: string, size: number, isNew: (paragraph: string) => boolean): Passage[] {
  const passages: Passage[] = [];
  let title = '';
  let heading = '';
  let text = '';
  const end = () => {
    if (text.length > size / 3) passages.push({ heading: `${title} ${heading}`, text });
    text = '';
  };
  for (const block of page.split('\n\n')) {
    if (block.startsWith('# ')) {
      end();
      if (title === '') title = block.slice(2);
      else heading = block.slice(2);
    } else if (isNew(block)) {
      text += `${block.trim()}\n`;
      if (text.length > size) end();
    }
  }
  end();
  return passages;
}

for (const language of globSync('*/', { cwd: pages }).sort()) {
  const share = DENSE.has(language) ? DENSE_SHARE : 1;
  const random = createRandom(1);
  const seen = new Set<string>();
  const often = new Map<number, number>();
  const lengths: number[] = [];
  const hashes: Uint32Array[] = [];
  const counts: Uint8Array[] = [];
  const pairs: number[] = [];
  let paragraphs = 0;

  function isNew(paragraph: string): boolean {
    if (seen.has(paragraph)) return false;
    seen.add(paragraph);
    paragraphs++;
    const parts = new Set<number>();
    forEachPart(paragraph, (part) => parts.add(part));
    for (const part of parts) often.set(part, (often.get(part) ?? 0) + 1);
    return true;
  }

  function add(text: string): number {
    const found = new Map<number, number>();
    forEachPart(text, (part) => found.set(part, (found.get(part) ?? 0) + 1));
    hashes.push(Uint32Array.from(found.keys()));
    counts.push(Uint8Array.from(found.values(), (count) => Math.min(count, 255)));
    return lengths.push(found.size) - 1;
  }

  function addPairs({ heading, text }: Passage, before: number | undefined): number {
    const ends = sentences.boundaries(text);
    const at = 1 + Math.floor(random() * (ends.length - 1));
    const [from = 0, to = 0] = [ends[at - 1], ends[at]];
    const whole = add(text);
    if (to - from >= SENTENCE * share && to - from < text.length / 2) {
      const rest = random() < KEPT ? whole : add(`${text.slice(0, from)} ${text.slice(to)}`);
      pairs.push(0, add(text.slice(from, to)), rest);
    }
    if (heading.length > 10 * share) pairs.push(1, add(heading), whole);
    if (before !== undefined) pairs.push(2, before, whole);
    return whole;
  }

  const files = globSync('*/*.txt', { cwd: join(pages, language) }).sort();
  const bySource = Map.groupBy(files, (file) => file.split('/')[0]);
  const chosen: Passage[][] = [];
  for (const ofSource of bySource.values()) {
    const found = ofSource.map((file) =>
      passagesOf(readFileSync(join(pages, language, file), 'utf8'), PASSAGE * share, isNew),
    );
    const most = MOST_OF_SOURCE / found.reduce((sum, each) => sum + each.length, 1);
    chosen.push(...found.filter(() => random() < most));
  }
  const all = chosen.reduce((sum, each) => sum + each.length, 1);
  for (const page of chosen) {
    if (random() > MOST_OF_LANGUAGE / all) continue;
    let before: number | undefined;
    for (const passage of page) before = addPairs(passage, before);
  }
  const folder = join(output, language);
  mkdirSync(folder, { recursive: true });
  const kept = [...often].filter(([, count]) => count > 2);
  const numbers = {
    parts: Uint32Array.from(kept, ([part]) => part),
    often: Uint32Array.from(kept, ([, count]) => count),
    paragraphs: Uint32Array.of(paragraphs),
    lengths: Uint32Array.from(lengths),
    pairs: Uint32Array.from(pairs),
  };
  for (const [name, each] of Object.entries(numbers)) writeFileSync(join(folder, name), each);
  writeFileSync(join(folder, 'hashes'), Buffer.concat(hashes.map((each) => Buffer.from(each.buffer))));
  writeFileSync(join(folder, 'counts'), Buffer.concat(counts.map((each) => Buffer.from(each.buffer))));
  process.stdout.write(
    `${language}: ${paragraphs} paragraphs, ${lengths.length} texts, ${pairs.length / 3} pairs\n`,
  );
}
