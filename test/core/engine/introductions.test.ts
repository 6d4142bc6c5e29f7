import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import type { CutFinder } from '../../../core/contracts/chunker.ts';
import type { TokenizedText } from '../../../core/contracts/tokenizer.ts';
import { cutAtWhiteSpace } from '../../../core/engine/cuts/cuts.ts';
import { cutAtDelimiters } from '../../../core/engine/cuts/delimiters.ts';
import { isLineStart, startOfLine } from '../../../core/engine/cuts/lines.ts';
import { divide } from '../../../core/engine/packing/hierarchy.ts';

const PARAGRAPHS = [cutAtDelimiters(['\n\n', '\r\n\r\n']), cutAtDelimiters(['\n', '. ']), cutAtWhiteSpace];
const LINES = [cutAtDelimiters(['\n'])];

/** A token is a UTF-16 unit. */
function unitTokens(text: string): TokenizedText {
  const ends = Uint32Array.from(text, (_, at) => at + 1);
  return { count: (start, end) => end - start, ends: () => ends };
}

function parts(text: string, size: number, finders: readonly CutFinder[] = PARAGRAPHS): string[] {
  const limits = { size, titles: true };
  const spans = divide(text, unitTokens(text), { start: 0, end: text.length }, finders, limits);
  return spans.map(({ start, end }) => text.slice(start, end));
}

const cutBeforeHash: CutFinder = (...stretch) =>
  cutAtDelimiters(['\n# '], 'next')(...stretch).map((cut) => cut + 1);

t.test('a heading is not left behind at the end of a chunk', async (t) => {
  const tea = '# Tea\n\nBoil water. Wait three minutes. Pour it slowly.\n\n';
  const milk = '## Milk\n\nOnly a little milk is needed, and it goes in last of all.\n';
  t.same(parts(tea + milk, 80), [tea, milk]);
  const [crlfTea, crlfMilk] = [tea, milk].map((part) => part.replaceAll('\n', '\r\n'));
  t.same(parts(`${crlfTea}${crlfMilk}`, 84), [crlfTea, crlfMilk]);
});

t.test('a heading goes with the first piece of a paragraph that has to be cut', async (t) => {
  const text = '## Options\n\nThe first sentence is here. The second one is a little longer than that.\n';
  t.same(parts(text, 60), [
    '## Options\n\nThe first sentence is here. ',
    'The second one is a little longer than that.\n',
  ]);
});

t.test('titles, lines with a colon, comments and decorators go with what follows', async (t) => {
  const before = 'Some words that stand before it.\n\n';
  for (const introduction of [
    '### Part\n\n',
    'A title\n=======\n\n',
    '-------\nA title\n-------\n\n',
    '3.1.  Scope of it\n\n',
    'There are two of them:\n\n',
    '有两个：\n\n',
    '# One\n\n## Two\n\n',
    '// What it does.\n',
    '/**\n * What it does.\n */\n',
    '@decorated(1)\n',
    '#[derive(Debug)]\n',
    'The Garden Gate\n\n',
    '**Part 2**\n\n',
    'PART 2.\n\n',
    'IV.\n\n',
    'Chapter 2. Gates.\n\n',
    '第二章\n\n',
    '== Part ==\n\n',
    '** Part\n\n',
    'h2. Part\n\n',
    '=head2 Part\n\n',
    '_Part the Second_\n\n',
    'PART ONE\n\nI\n\nThe Gate\n\n',
  ]) {
    const rest = 'f'.repeat(60 - introduction.length);
    const ends = introduction.endsWith('\n\n') ? PARAGRAPHS : LINES;
    const [first, second] = parts(before + introduction + rest, 60, ends);
    t.same([first, second], [before, introduction + rest], introduction);
  }
});

t.test('what is no introduction stays where it is', async (t) => {
  const rest = 'f'.repeat(50);
  for (const text of [
    'A paragraph.\n\nA sentence, no title.\n\n',
    'A paragraph.\n\n1. An item of a list.\n\n',
    'A paragraph.\n\n---\n\n',
    `${'Long words of prose '.repeat(14)}end so:\n\n`,
  ]) {
    t.equal(parts(text + rest, text.length, PARAGRAPHS)[0], text);
  }
});

t.test('a fence that fits only without its heading is cut behind its first lines', async (t) => {
  const fence = ['```js\nlet a = 1;\nlet b = 2;\n', 'let c = 3;\n```\n'] as const;
  const heading = '## Use\n\n';
  t.same(parts(`Words.\n\n${heading}${fence.join('')}`, 46), ['Words.\n\n', heading + fence[0], fence[1]]);
});

t.test('of headings that do not all fit with their text, the deeper ones go with it', async (t) => {
  const chapter = '# A long title of a whole chapter\n\n';
  const rest = 'f'.repeat(30);
  t.same(parts(`${chapter}## Part\n\n### Use\n\n${rest}`, 48), [chapter, `## Part\n\n### Use\n\n${rest}`]);
  const siblings = '## First name\n\n## Second name\n\n';
  t.same(parts(siblings + rest, 50), ['## First name\n\n', `## Second name\n\n${rest}`], 'or the last one');
});

t.test('a fence of tildes does not end in a title', async (t) => {
  const rest = '# Next\n\nSome words that follow it.\n';
  for (const end of ['int main(void);\n~~~~~\n\n', '}\n~~~\n\n']) {
    const fence = `~~~c\n#include <stdio.h>\n\nint main(void) {\n\n  ${end}`;
    t.same(parts(fence + rest, fence.length, [cutBeforeHash]), [fence, rest], end);
  }
});

t.test('lines that are no titles stay with what is before them', async (t) => {
  const rest = 'f'.repeat(50);
  for (const line of [
    '"Yes."',
    'He went home.',
    'Yours truly,',
    '- An item without a stop',
    '| a | b |',
    '> A quote without a stop',
    '</section>',
    '* * *',
    `${'Long words of prose '.repeat(6)}end`,
    'Two lines\nof a verse',
  ]) {
    const text = `Some words, and some more of them, that stand before it.\n\n${line}\n\n`;
    t.equal(parts(text + rest, text.length)[0], text, line);
  }
  const signed = 'Some words that stand before it, and some more.\n\nJane Smith\n\n\n\n';
  t.equal(parts(signed + rest, signed.length)[0], signed, 'more blank lines below it than above');
});

t.test('a line that ends in a stop is a title below two blank lines', async (t) => {
  const before = 'Some words, and some more of them, that stand before it.';
  const rest = `The street.\n\n${'f'.repeat(50)}`;
  for (const end of ['\n', '\r\n']) {
    const text = [before, '', '', rest].join('\n').replaceAll('\n', end);
    const title = text.indexOf('The');
    t.equal(parts(text, 80)[0], text.slice(0, title), JSON.stringify(end));
  }
});

t.test('many short lines are divided in linear work', async (t) => {
  for (const line of ['Short line\n\n', 'PART 2.\n\n\n', 'A\n\n\n\n\n\n']) {
    const work = (count: number) => {
      const text = line.repeat(count);
      let units = 0;
      const count_ = (start: number, end: number) => {
        units += end - start;
        return end - start;
      };
      const tokens = { ...unitTokens(text), count: count_ };
      const limits = { size: 100, titles: true };
      const spans = divide(text, tokens, { start: 0, end: text.length }, PARAGRAPHS, limits);
      t.equal(spans.map(({ start, end }) => text.slice(start, end)).join(''), text);
      return units / text.length;
    };
    t.ok(work(2000) < work(200) * 1.1, line);
  }
});

t.test('headings alone are divided in linear work, and none is lost', async (t) => {
  const work = (count: number) => {
    const text = '# Title of a part\n\n'.repeat(count);
    let units = 0;
    const tokens = {
      ...unitTokens(text),
      count: (start: number, end: number) => {
        units += end - start;
        return end - start;
      },
    };
    const spans = divide(text, tokens, { start: 0, end: text.length }, PARAGRAPHS, { size: 100 });
    t.equal(spans.map(({ start, end }) => text.slice(start, end)).join(''), text);
    t.ok(spans.every(({ start, end }) => end - start <= 100));
    return units / text.length;
  };
  t.ok(work(2000) < work(200) * 1.1);
});

t.test('introductions leave the limit and the text whole, whatever stands around them', async () => {
  const marks = ['# A\n', '## B b\n\n', '\n', '===\n', '---\n', '*/\n', '/* c\n', '@d\n', 'so:\n', '1. x\n'];
  const titles = ['PART I.\n\n', 'Part\n\n\n', '**a**\n\n', '第二章\n\n'];
  const pieces = [...marks, ...titles, 'word ', '\r\n'];
  const anyText = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 60 });
  const cases = fc.record({
    text: anyText.map((all) => all.join('')),
    size: fc.integer({ min: 1, max: 40 }),
  });
  fc.assert(
    fc.property(cases, ({ text, size }) => {
      for (const finders of [PARAGRAPHS, LINES]) {
        const found = parts(text, size, finders);
        assert.equal(found.join(''), text);
        assert.ok(found.every((part) => part.length > 0 && part.length <= size));
      }
    }),
    { numRuns: 400 },
  );
});

const NEAR = 240;

function nearestLineStart(text: string, floor: number, end: number): number | undefined {
  for (let at = end; at >= Math.max(floor, end - NEAR); at--) if (isLineStart(text, at)) return at;
  return undefined;
}

t.test('the start of a line is the nearest one, of short lines and of long ones', async () => {
  const lines = fc.array(fc.oneof(fc.nat(12), fc.nat(300)), { maxLength: 12 });
  fc.assert(
    fc.property(lines, fc.nat(), fc.nat(), (lengths, one, other) => {
      const text = lengths.map((length) => `${'x'.repeat(length)}\n`).join('');
      const end = one % (text.length + 1);
      const floor = other % (end + 1);
      const found = startOfLine(text, floor, end);
      if (found !== nearestLineStart(text, floor, end))
        throw new Error(`${found} in ${JSON.stringify(text)}`);
    }),
    { numRuns: 500 },
  );
});
