import { findSentences } from '../../../plugins/toolkit/prose/find-sentences.ts';
import { readTexts } from '../data/texts.ts';
import { race } from '../race/race.ts';
import { printSpeeds, printTitle } from '../race/report.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

printTitle('Boundaries of sentences alone, one thread');
for (const { name, text, bytes } of readTexts()) {
  const results = await race([
    { name: 'chunksmith, rules', isOurs: true, run: () => findSentences(text, 'en') },
    { name: 'Intl.Segmenter', run: () => Array.from(segmenter.segment(text), ({ index }) => index) },
  ]);
  printSpeeds(`sentences, ${name}`, results, bytes);
}
