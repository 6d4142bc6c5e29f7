import { between, createRandom } from '../../support/random.ts';
import { number, printTable } from '../race/report.ts';
import { withFile } from '../race/temporary.ts';
import { countInFreshProcess } from './cold.ts';

const SIZES = [250_000, 500_000, 1_000_000];
const ENCODING = 'cl100k_base';

/** Texts of a number of bytes that the encoding's pattern does not cut, or whose merges are slow. */
const TEXTS: Readonly<Record<string, (bytes: number) => string>> = {
  'one letter': (bytes) => 'a'.repeat(bytes),
  spaces: (bytes) => ' '.repeat(bytes),
  dots: (bytes) => '.'.repeat(bytes),
  'random letters': (bytes) => randomUnits(bytes, 0x61, 0x7a),
  base64: (bytes) =>
    Buffer.from(randomUnits(bytes, 0, 0xff), 'latin1')
      .toString('base64')
      .slice(0, bytes),
  'Chinese without punctuation': (bytes) => randomUnits(Math.floor(bytes / 3), 0x4e00, 0x6fff),
};

/** Shows whether the time grows in proportion to the text. */
export async function runLong(): Promise<void> {
  const rows: string[][] = [];
  for (const [name, textOf] of Object.entries(TEXTS)) {
    const times: number[] = [];
    for (const bytes of SIZES) times.push(await timeOf(textOf(bytes)));
    const growth = times.slice(1).map((ms, index) => `${number(ms / (times[index] as number))}x`);
    rows.push([name, ...times.map(number), growth.join(', ')]);
  }
  printTable('First pass, ms', ['', '250 KB', '500 KB', '1 MB', 'growth'], rows);
}

async function timeOf(text: string): Promise<number> {
  return (await withFile(text, (file) => countInFreshProcess('chunksmith', ENCODING, file))).first;
}

function randomUnits(length: number, low: number, high: number): string {
  const random = createRandom(4);
  const units = Uint16Array.from({ length }, () => between(random, low, high));
  return Buffer.from(units.buffer).toString('utf16le');
}
