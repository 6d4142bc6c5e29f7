import { join } from 'node:path';
import { PRESET_NAMES } from '../../../server/engine/presets/presets.ts';
import { type Corpus, DOCUMENT, writeLines } from '../corpus/data.ts';
import { chunk, measured, type Run } from '../corpus/processes.ts';
import { scaled } from '../flags.ts';
import { type Candidate, race } from '../race/race.ts';
import { printSpeeds, printTitle } from '../race/report.ts';
import { median } from '../race/statistics.ts';
import { withCleanup } from '../race/temporary.ts';
import { dataTexts } from '../structure/data.ts';

/** Bytes of JSON Lines for what chunks only, and for presets, which embed as well. */
const CHUNKED = scaled(60e6, 48e6);
const EMBEDDED = scaled(20e6, 15e6);
const LIMITS = { rounds: 5, warmUps: 0, budget: 120_000 };
/** Starts that are measured, of which the median is subtracted. */
const STARTS = 3;
const CODE_PRESET = 'code';
const PEER = join(import.meta.dirname, 'peer.ts');

/** The same kind of documents: none to speak of, for the start; some, and many. */
type Sizes = Readonly<Record<'few' | 'some' | 'many', Corpus>>;

printTitle(
  'From JSON Lines to JSON Lines, one thread, by processor time without the start; peers chunk only. Ratios are to recursive by characters',
);
await withCleanup(async (_, folder) => {
  const write = (name: string, texts?: () => Iterable<string>, ending?: string): Sizes => {
    const corpus = (bytes: number) =>
      writeLines(join(folder, `${name}-${bytes}.jsonl`), bytes, DOCUMENT, texts?.(), ending);
    return { few: corpus(1), some: corpus(EMBEDDED), many: corpus(CHUNKED) };
  };
  const out = join(folder, 'out.jsonl');
  const peer = (name: string) => workOf(name, (path) => measured([PEER, name, path], out));
  const own = (name: string, ...args: string[]) =>
    workOf(`chunksmith ${name}`, (path) => chunk(folder, [path, ...args, '--workers', '0']));
  const preset = (name: string) => ({ ...own(`preset ${name}`, '--preset', name), size: 'some' as const });
  const recursive = { ...own('recursive, characters', '--chunker', 'recursive'), isOurs: true };

  const markdown = write('markdown');
  const works = [
    recursive,
    own('recursive, cl100k_base', '--chunker', 'recursive', '--tokenizer', 'cl100k_base'),
    own('markdown, characters', '--chunker', 'markdown'),
    ...PRESET_NAMES.filter((name) => name !== CODE_PRESET).map(preset),
    ...['langchain RecursiveCharacter', 'langchain Markdown', 'chonkiejs Recursive'].map(peer),
  ];
  await raceWorks('Markdown', works, markdown);
  const code = write('code', codeTexts, '.js');
  await raceWorks('JavaScript', [recursive, preset(CODE_PRESET), peer('langchain for JavaScript')], code);
});

interface Work {
  readonly name: string;
  readonly isOurs?: boolean;
  readonly size: keyof Sizes;
  run(path: string): Promise<Run>;
}

function workOf(name: string, run: Work['run']): Work {
  return { name, run, size: 'many' };
}

/** By turns. The processor time of each is that of its documents without that of a start, as if it were of all bytes. */
async function raceWorks(title: string, works: readonly Work[], sizes: Sizes): Promise<void> {
  const { bytes } = sizes.many;
  const candidates = works.map(({ size, run, ...named }): Candidate => {
    const seconds = async ({ path }: Corpus) => (await run(path)).cpu ?? Number.NaN;
    const corpus = sizes[size];
    let start: number | undefined;
    const sample = async () => {
      if (start === undefined) {
        const starts: number[] = [];
        while (starts.length < STARTS) starts.push(await seconds(sizes.few));
        start = median(starts);
      }
      const spent = (await seconds(corpus)) - start;
      return (1000 * spent * bytes) / corpus.bytes;
    };
    return { ...named, sample };
  });
  printSpeeds(title, await race(candidates, LIMITS), bytes);
}

/** Files of JavaScript, all distinct. */
function* codeTexts(): Generator<string> {
  for (let number = 0; ; number++) {
    const { code = '' } = dataTexts(DOCUMENT);
    yield code.replaceAll(/(?<=function [a-z]+)/g, `${number}_`);
  }
}
