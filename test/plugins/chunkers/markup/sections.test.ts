import t from 'tap';
import { createRandom } from '../../../support/random.ts';
import { type AnswerChunk, openChunkers } from '../../../support/service.ts';
import { WRITERS, type Writer } from './writers.ts';

interface Headed extends AnswerChunk {
  readonly heading_path: readonly string[];
}

const chunk = await openChunkers();

interface Written {
  readonly text: string;
  /** The path of each section; its words are `w0`, `w1`, ... */
  readonly paths: readonly (readonly string[])[];
}

/** A text of nested sections, whose paths are known because it was made from them. */
function write({ title, hiding, decoys }: Writer, seed: number, deepest: number): Written {
  const random = createRandom(seed);
  const below = (most: number) => Math.floor(random() * most);
  const paths: string[][] = [];
  let text = '';
  for (let index = 0; index < 12; index++) {
    const before = paths.at(-1) ?? [];
    const level = Math.min(1 + below(before.length + 1), deepest);
    const name = `Part ${'abc '.repeat(1 + below(3))}${index}`;
    paths.push([...before.slice(0, level - 1), name]);
    text += title(name, level);
    for (let block = 0; block <= below(4); block++) {
      const hide = hiding[below(hiding.length)];
      const isHidden = block > 0 && hide !== undefined;
      text += isHidden ? hide(decoys[below(decoys.length)] as string) : '';
      text += `${`The w${index} is here. `.repeat(1 + below(8)).trim()}\n\n`;
    }
  }
  return { text, paths };
}

function commonOf(paths: readonly (readonly string[])[]): readonly string[] {
  const [first = [], ...rest] = paths;
  return first.filter((_, at) =>
    rest.every((path) => path.slice(0, at + 1).join() === first.slice(0, at + 1).join()),
  );
}

for (const [syntax, writer] of Object.entries(WRITERS)) {
  t.test(`each chunk has the path of its sections, and no other: ${syntax}`, async (t) => {
    for (let seed = 1; seed <= 12; seed++) {
      const { text, paths } = write(writer, seed, syntax === 'roff' ? 2 : 4);
      for (const chunk_size of [120, 300, 900]) {
        const asked = { documents: [{ text, filename: writer.filename }], chunk_size };
        const [chunks = []] = (await chunk('markup', asked)) as unknown as Headed[][];
        t.equal(chunks.map((one) => one.text).join(''), text, 'nothing is lost');
        for (const one of chunks) {
          const within = [...new Set(one.text.match(/\bw\d+\b/g))].map(
            (word) => paths[Number(word.slice(1))] ?? [],
          );
          if (within.length === 0) continue;
          t.same(one.heading_path, commonOf(within), `${seed} ${chunk_size} ${one.text}`);
        }
      }
    }
  });

  t.test(`a title is on top of what it is for: ${syntax}`, async (t) => {
    for (let seed = 20; seed < 28; seed++) {
      const { text } = write(writer, seed, syntax === 'roff' ? 2 : 4);
      for (const chunk_size of [90, 150, 250]) {
        const chunks = await chunk('markup', { text, syntax, chunk_size });
        for (const { text: own, token_count } of chunks) {
          t.ok(token_count <= chunk_size);
          const title = own.lastIndexOf('Part ');
          if (title !== -1) t.match(own.slice(title), 'The', JSON.stringify(own));
        }
      }
    }
  });
}
