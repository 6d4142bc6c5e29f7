import t from 'tap';
import type { Run } from '../../../../../plugins/readers/pdf/page.ts';
import { startBlockCounter } from '../../../../support/executed-blocks.ts';
import { checkLinearWork, type Shapes } from '../../../../support/linear-work.ts';

type Shape = (index: number) => Run;

function run(x: number, y: number, text = 'word'): Run {
  const position = { x0: x, x1: x + 20, y0: y - 8, y1: y + 2, base: y, size: 10 };
  return { text, ...position, font: 'F', isMono: false, block: undefined };
}

/** Where the runs of a page may lie so that finding its lines could take too long. */
const SHAPES: Readonly<Record<string, Shape>> = {
  'one row': (index) => run(index * 40, 100),
  'one row, close together': (index) => run(index * 0.01, 100),
  'one row, from the right': (index) => run(index * 30, 100, index % 3 === 0 ? '\u05d0' : '12'),
  diagonal: (index) => run((index * 7.3) % 600, index * 0.01),
  grid: (index) => run((index % 40) * 30, Math.floor(index / 40) * 12),
  'two columns': (index) => run((index % 2) * 300, Math.floor(index / 2) * 12, 'as wide as a column is'),
  'one place': () => run(100, 100),
  scattered: (index) => run((index * 7919) % 600, (index * 104_729) % 800),
  'lone numbers': (index) => run(300, 790, `${index % 1000}`),
};

t.test('a page costs as much as it has runs, however they lie', async (t) => {
  const counter = await startBlockCounter(t);
  const { findFurniture } = await import('../../../../../plugins/readers/pdf/furniture.ts');
  const { findHeadings } = await import('../../../../../plugins/readers/pdf/headings.ts');
  const { linesOf } = await import('../../../../../plugins/readers/pdf/lines.ts');
  const { writeMarkdown } = await import('../../../../../plugins/readers/pdf/markdown.ts');
  const { paragraphsOf } = await import('../../../../../plugins/readers/pdf/paragraphs.ts');
  // A text stands for as many runs as it has characters.
  const counts: Shapes = Object.fromEntries(
    Object.keys(SHAPES).map((name) => [name, (length: number) => ' '.repeat(length)]),
  );
  const write = async ({ length }: string, _: object, name: string): Promise<void> => {
    const runs = Array.from({ length }, (_, index) => SHAPES[name]?.(index) ?? run(0, 0));
    const page = {
      number: 1,
      width: 600,
      height: 800,
      figures: [],
      runs: new Map([[0, runs]]),
      unreadable: 0,
      hidden: [],
      inferred: 0,
      isFaulty: false,
    };
    const pages = [page, page, page].map((one) => linesOf(one));
    findFurniture(pages, 10);
    const paragraphs = paragraphsOf(pages.flat());
    findHeadings(paragraphs, [], undefined);
    writeMarkdown(paragraphs, pages.length, { tables: 'auto', keep_furniture: false });
  };
  await checkLinearWork(t, counts, [{}], write, counter);
});
