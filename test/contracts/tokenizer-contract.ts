import fc from 'fast-check';
import type { Tokenizer, TokenizerProvider } from '../../core/contracts/tokenizer.ts';
import { Ledger, type Suite } from './promises.ts';
import { anyText } from './texts.ts';

/** Every tokenizer that the plugin lists, on any text. */
export const checkTokenizer: Suite = async (bench, { manifest }, { runs = 300, exemptions } = {}) => {
  const provider = await bench.make('tokenizer', manifest.name);
  const ledger = new Ledger(exemptions);
  const tokenizers = await checkNames(provider, ledger);
  ledger.close();
  for (const tokenizer of tokenizers) {
    const holds = fc.property(anyText, anySpans, (text, spans) => {
      const ledger = new Ledger(exemptions);
      checkText(tokenizer, text, spans, ledger);
      ledger.close();
    });
    fc.assert(holds, { numRuns: runs });
  }
  return `${runs} texts with each of ${tokenizers.map(({ name }) => name).join(', ')}`;
};

/** Names that no plugin can have a tokenizer for. */
const NOBODYS = ['there is no such tokenizer', '../../../package', '__proto__', '\0'];

/** The tokenizers that a provider lists. */
async function checkNames(provider: TokenizerProvider, ledger: Ledger): Promise<Tokenizer[]> {
  const names = await provider.names();
  ledger.expect(
    names.every((name) => typeof name === 'string' && name !== ''),
    'names are strings that are not empty',
  );
  ledger.expect(new Set(names).size === names.length, 'a name is listed once');
  const opened = await Promise.all(names.map((name) => provider.open(name)));
  const tokenizers = opened.filter((tokenizer) => tokenizer !== undefined);
  ledger.expect(tokenizers.length === names.length, 'a name that is listed can be opened');
  ledger.expect(
    tokenizers.every(({ name }) => typeof name === 'string' && name !== ''),
    'a tokenizer has a name',
  );
  const aliases = Object.entries(provider.aliases?.() ?? {});
  const meant = await Promise.all(aliases.map(([alias]) => provider.open(alias)));
  ledger.expect(
    aliases.every(([, name], index) => names.includes(name) && meant[index]?.name === name),
    'an alias stands for a name that is listed, and opens the tokenizer of that name',
  );
  const unknown = await Promise.all(NOBODYS.map((name) => provider.open(name)));
  ledger.expect(
    unknown.every((tokenizer) => tokenizer === undefined),
    'a name that it does not know opens nothing',
  );
  return tokenizers;
}

type Span = readonly [start: number, end: number];

const anySpans = fc.array(fc.tuple(fc.nat(300), fc.nat(300)), { minLength: 1, maxLength: 8 });

function checkText(tokenizer: Tokenizer, text: string, spans: readonly Span[], ledger: Ledger): void {
  const tokens = tokenizer.tokenize(text);
  const count = tokens.count(0, text.length);
  const ends = tokens.ends();
  ledger.expect(count === ends.length, 'the whole text counts as many tokens as it has ends');
  ledger.expect(
    ends.every((end, index) => end >= (ends[index - 1] ?? 0)),
    'ends do not fall',
  );
  ledger.expect(ends.length === 0 || ends.at(-1) === text.length, 'the last end is the length of the text');
  ledger.expect(
    spans.every(([start, end]) => countsAlone(tokenizer, text, start, end)),
    'a span counts as a text of its own',
  );
  ledger.expect(
    spans.every(([start, end]) => {
      const [from, to] = within(text, start, end);
      return tokens.count(from, to) === tokenizer.tokenize(text).count(from, to);
    }),
    'a count does not depend on those before it',
  );
  ledger.expect(
    tokenizer.encode === undefined || tokenizer.encode(text).length === ends.length,
    'a text has as many ids as tokens',
  );
}

function countsAlone(tokenizer: Tokenizer, text: string, start: number, end: number): boolean {
  const [from, to] = within(text, start, end);
  const alone = tokenizer.tokenize(text.slice(from, to)).ends().length;
  return tokenizer.tokenize(text).count(from, to) === alone;
}

/** The span in rising order, inside the text. */
function within(text: string, start: number, end: number): Span {
  const places = [start, end].map((at) => Math.min(at, text.length)).sort((a, b) => a - b);
  return places as [number, number];
}
