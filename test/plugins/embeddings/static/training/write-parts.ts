import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forEachPart } from '../../../../../plugins/embeddings/static/lexical/lexical-vectors.ts';
import { sentencesBy } from '../../../../../plugins/toolkit/prose/index.ts';

/**
 * Writes the parts of sentences: `node write-parts.ts PAGES OUTPUT`. PAGES has a folder for each language, with pages below it.
 * OUTPUT has unsigned integers of 32 bits: for each sentence its page, its language (the place among sorted ones), the
 * number of its parts, and their hashes.
 */
const [pages = '', output = ''] = process.argv.slice(2);
/** A page of a reference may have thousands. */
const MAX_SENTENCES = 40;

const sentences = sentencesBy({
  delim: ['\n', '. ', '! ', '? ', '。', '！', '？', '｡'],
  include_delim: 'prev',
  min_characters_per_sentence: 12,
  oversize: 'keep',
});
const seen = new Set<string>();

function* newSentences(text: string): Generator<string> {
  const ends = sentences.boundaries(text);
  for (let place = 1, found = 0; place < ends.length && found < MAX_SENTENCES; place++) {
    const sentence = text.slice(ends[place - 1], ends[place]);
    if (seen.has(sentence)) continue;
    seen.add(sentence);
    found++;
    yield sentence;
  }
}

const rows: Buffer[] = [];
const languages = globSync('*/', { cwd: pages }).sort();
for (const [language, name] of languages.entries()) {
  for (const file of globSync('**/*.txt', { cwd: join(pages, name) }).sort()) {
    const page = rows.length;
    for (const sentence of newSentences(readFileSync(join(pages, name, file), 'utf8'))) {
      const parts: number[] = [];
      forEachPart(sentence, (part) => parts.push(part));
      rows.push(Buffer.from(Uint32Array.of(page, language, parts.length, ...parts).buffer));
    }
  }
}
writeFileSync(output, Buffer.concat(rows));
process.stdout.write(`${languages.join(' ')}: ${rows.length} sentences\n`);
