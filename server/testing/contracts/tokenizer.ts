import fc from 'fast-check';
import type { TokenizedText, Tokenizer, TokenizerProvider } from '../../../core/contracts/tokenizer.ts';
import { anyText } from '../cases/texts.ts';
import { COMMON, type PromiseOf, type Promises, type Suite } from '../promises.ts';
import { checkNames, expectOnce, holdFor, isName, type Ledger, quoted } from '../report.ts';

const PROMISES = {
  answers: COMMON.answers,
  names: {
    'names are non-empty strings': 'Let names() return non-empty strings.',
    'a name is listed once': 'Remove the second one from names().',
    'a listed name can be opened': 'Let open(name) return a tokenizer for each of names().',
    'a tokenizer has a name': 'Give the tokenizer a member `name`.',
    'an alias refers to a listed name, and opens the tokenizer with that name':
      'Let aliases() refer to names of names(), and open(alias) return what open(name) returns.',
    'an unknown name opens nothing': 'Let open(name) return undefined for all other names.',
  },
  counts: {
    'the whole text counts as many tokens as it has ends':
      'Let count(0, text.length) be the length of ends().',
    'a span counts as a text of its own':
      'Let count(start, end) be the tokens of text.slice(start, end) by itself, regardless of its context.',
    'a text has as many ids as tokens': 'Let encode(text) return one id for each token of the text.',
  },
  ends: {
    'ends never decrease': 'Return the ends of the tokens in the order of the text.',
    'the last end is the length of the text': 'Let the tokens cover the text to its end.',
    'the ends within a stretch are those of the whole text':
      'Let endsWithin(start, end) return the ends() after start and before end, or leave it out.',
  },
  determinism: {
    'a count does not depend on those before it':
      'Keep no state between calls of count that changes the result.',
    'the same text has the same tokens': 'Let the tokens depend only on the text.',
  },
} as const satisfies Promises;

type TokenizerLedger = Ledger<PromiseOf<typeof PROMISES>>;

/** Checks every tokenizer that the plugin lists, with generated texts. */
export const tokenizerSuite: Suite = {
  promises: PROMISES,
  async run(harness, plugin, { runs = 300, ...options } = {}) {
    const { name } = plugin.manifest;
    const opened = await expectOnce(plugin, options.exemptions, async (ledger: TokenizerLedger) =>
      openAll(await harness.make('tokenizer', name), ledger),
    );
    const tokenizers = opened ?? [];
    const cases = fc.record({ text: anyText, spans: anySpans });
    for (const tokenizer of tokenizers)
      await holdFor(
        plugin,
        cases.map((one) => ({ tokenizer: tokenizer.name, ...one })),
        (one, ledger: TokenizerLedger) => checkText(tokenizer, one, ledger),
        { runs, ...options },
      );
    return `${runs} texts with each of ${tokenizers.map(({ name }) => name).join(', ')}`;
  },
};

async function openAll(provider: TokenizerProvider, ledger: TokenizerLedger): Promise<Tokenizer[]> {
  const names = await provider.names();
  await checkNames(names, (name) => provider.open(name), ledger);
  const opened = await Promise.all(names.map((name) => provider.open(name)));
  const isOpen = (_: string, at: number) => opened[at] !== undefined;
  ledger.expectEach(names, isOpen, quoted, 'a listed name can be opened');
  const hasName = (_: string, at: number) => opened[at] === undefined || isName(opened[at].name);
  ledger.expectEach(names, hasName, quoted, 'a tokenizer has a name');
  const aliases = Object.entries(provider.aliases?.() ?? {});
  const meant = await Promise.all(aliases.map(([alias]) => provider.open(alias)));
  ledger.expectEach(
    aliases,
    ([, name], at) => names.includes(name) && meant[at]?.name === name,
    ([alias]) => quoted(alias),
    'an alias refers to a listed name, and opens the tokenizer with that name',
  );
  return opened.filter((tokenizer) => tokenizer !== undefined);
}

type Span = readonly [start: number, end: number];

interface TextCase {
  readonly text: string;
  readonly spans: readonly Span[];
}

const anySpans = fc.array(fc.tuple(fc.nat(300), fc.nat(300)), { minLength: 1, maxLength: 8 });

function checkText(tokenizer: Tokenizer, { text, spans }: TextCase, ledger: TokenizerLedger): void {
  const tokens = tokenizer.tokenize(text);
  const count = tokens.count(0, text.length);
  const ends = tokens.ends();
  ledger.expect(
    count === ends.length,
    'the whole text counts as many tokens as it has ends',
    `count(0, ${text.length}) is ${count}, but there are ${ends.length} ends`,
  );
  const fallsAt = ends.findIndex((end, index) => end < (ends[index - 1] ?? 0));
  ledger.expect(fallsAt === -1, 'ends never decrease', `token ${fallsAt} ends at ${ends[fallsAt]}`);
  ledger.expect(
    ends.length === 0 || ends.at(-1) === text.length,
    'the last end is the length of the text',
    `token ${ends.length - 1} ends at ${ends.at(-1)}, the text at ${text.length}`,
  );
  const again = tokenizer.tokenize(text).ends();
  const otherAt = ends.findIndex((end, index) => end !== again[index]);
  const isSame = otherAt === -1 && ends.length === again.length;
  ledger.expect(isSame, 'the same text has the same tokens', `token ${Math.max(otherAt, 0)}`);
  const inside = spans.map((span) => within(text, span));
  checkSpans(tokenizer, text, inside, ledger);
  const ids = tokenizer.encode?.(text).length ?? ends.length;
  ledger.expect(
    ids === ends.length,
    'a text has as many ids as tokens',
    `${ids} ids and ${ends.length} tokens`,
  );
}

function checkSpans(
  tokenizer: Tokenizer,
  text: string,
  spans: readonly Span[],
  ledger: TokenizerLedger,
): void {
  const tokens = tokenizer.tokenize(text);
  const counts = spans.map(([start, end]) => tokens.count(start, end));
  const fresh = spans.map(([start, end]) => tokenizer.tokenize(text).count(start, end));
  const alone = spans.map(([start, end]) => tokenizer.tokenize(text.slice(start, end)).ends().length);
  const place = ([start, end]: Span) => `the stretch [${start}, ${end})`;
  ledger.expectEach(
    spans,
    (_, at) => fresh[at] === alone[at],
    (span, at) => `${place(span)} counts ${fresh[at]} tokens, but ${alone[at]} as a text of its own`,
    'a span counts as a text of its own',
  );
  ledger.expectEach(
    spans,
    (_, at) => counts[at] === fresh[at],
    (span, at) => `${place(span)} counts ${counts[at]} tokens after other calls, but ${fresh[at]} alone`,
    'a count does not depend on those before it',
  );
  ledger.expectEach(
    spans,
    (span) => hasEndsOfWhole(tokens, span),
    (span) => `${place(span)} has other ends than ends() within it`,
    'the ends within a stretch are those of the whole text',
  );
}

function hasEndsOfWhole(tokens: TokenizedText, [start, end]: Span): boolean {
  const own = tokens.endsWithin?.(start, end);
  const whole = tokens.ends().filter((at) => at > start && at < end);
  return own === undefined || (own.length === whole.length && whole.every((at, index) => at === own[index]));
}

function within(text: string, [one, other]: Span): Span {
  const start = Math.min(one, text.length);
  const end = Math.min(other, text.length);
  return start < end ? [start, end] : [end, start];
}
