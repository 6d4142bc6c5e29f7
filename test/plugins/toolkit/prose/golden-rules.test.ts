import t from 'tap';
import rules from './golden-rules-en.json' with { type: 'json' };
import { sentencesOf } from './sentences-of.ts';

/**
 * The English golden rules of sentence segmentation: inputs and expected segments of pragmatic_segmenter
 * (https://github.com/diasks2/pragmatic_segmenter, copyright 2015 Kevin S. Dias, MIT licence).
 */

/** Rules that we do not follow, and why. */
const NOT_FOLLOWED: Readonly<Record<string, string>> = {
  '#051 4-dot ellipsis':
    'it begins a sentence with an ellipsis behind a full stop, while #048 ends one with the same four dots',
};

/** White space stays in our sentences; the rules have none at their ends and one space for a line break. */
const clean = (text: string) => text.replace(/\s+/g, ' ').trim();

t.test('all golden rules hold but those that are listed, at least 95%', async (t) => {
  const same = (sentences: readonly string[]) => sentences.map(clean).join('\n');
  const broken = rules.filter(({ text, sentences }) => same(sentencesOf(text)) !== same(sentences));
  const names = broken.map(({ rule }) => rule);
  t.same(names, Object.keys(NOT_FOLLOWED));
  t.equal(rules.length, 52);
  t.ok(broken.length / rules.length <= 0.05);
});
