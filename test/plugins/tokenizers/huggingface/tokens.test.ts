import fc from 'fast-check';
import t from 'tap';
import {
  bertWordPiece,
  byteLevelBpe,
  metaspaceBpe,
  unigram,
} from '../../../fixtures/tokenizers/tokenizer-files.ts';
import { files } from './support/files.ts';
import { createOracle, open } from './support/open.ts';
import { texts } from './support/texts.ts';

const SAMPLES = 1000;

let compared = 0;
for (const [name, file] of Object.entries(files)) {
  t.test(`${name}: counts and ends as the library has tokens`, async (t) => {
    const tokenizer = open(file);
    const oracle = createOracle(file);
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(), (text, one, other) => {
        const tokens = tokenizer.tokenize(text);
        const expected = oracle(text).length;
        const start = one % (text.length + 1);
        const end = start + (other % (text.length - start + 1));
        compared += 2;
        return (
          tokens.count(0, text.length) === expected &&
          tokens.count(start, end) === oracle(text.slice(start, end)).length &&
          isWellPlaced(tokens.ends(), text, expected)
        );
      }),
      { numRuns: SAMPLES },
    );
    t.pass();
  });
}
t.teardown(() => t.comment(`compared ${compared} texts with the library`));

/** The promises of `ends` that hold on any input. */
function isWellPlaced(ends: Uint32Array, text: string, count: number): boolean {
  if (ends.length !== count || (count > 0 && ends.at(-1) !== text.length)) return false;
  return ends.every((end, index) => {
    const splitsPair =
      /^[\udc00-\udfff]/.test(text.slice(end)) && /[\ud800-\udbff]$/.test(text.slice(0, end));
    return end >= (ends[index - 1] ?? 0) && !splitsPair;
  });
}

t.test('text that looks like a special token is text', async (t) => {
  t.ok(open(bertWordPiece()).tokenize('[SEP]').count(0, 5) > 2);
  t.ok(open(byteLevelBpe()).tokenize('<|endoftext|>').count(0, 13) > 1);
  t.ok(open(unigram()).tokenize('x </s> y').count(0, 8) > 3);
});

t.test('truncation and padding in the file are not used', async (t) => {
  const text = 'fox '.repeat(100);
  t.equal(open(bertWordPiece()).tokenize(text).count(0, text.length), 100);
  t.equal(open(bertWordPiece()).tokenize('fox').count(0, 3), 1);
});

t.test('remembers words within a bound, with the same result', async (t) => {
  const tokenizer = open(bertWordPiece());
  const words = Array.from({ length: 66_000 }, (_, index) => `fox${index}`).join(' ');
  const tokens = tokenizer.tokenize(words);
  const once = tokens.count(0, words.length);
  t.equal(tokens.count(0, words.length), once);
  t.equal(once, createOracle(bertWordPiece())(words).length);
});

t.test('grows linearly on one long word', async (t) => {
  for (const [name, file] of Object.entries({
    bpe: byteLevelBpe(),
    metaspace: metaspaceBpe(),
    unigram: unigram(),
  })) {
    const tokenizer = open(file);
    for (const unit of ['a', '狐', '\u0301', 'the']) {
      const time = (length: number): number => {
        const text = unit.repeat(length / unit.length);
        const start = process.cpuUsage().user;
        const tokens = tokenizer.tokenize(text);
        if (tokens.ends().length !== tokens.count(0, text.length)) t.fail('as many ends as tokens');
        return process.cpuUsage().user - start;
      };
      time(9_000);
      const small = Math.min(time(9_000), time(9_000));
      const large = time(144_000);
      t.ok(large < 16 * 5 * (small + 2_000), `${name} on ${JSON.stringify(unit)}: ${small} to ${large} µs`);
    }
  }
});
