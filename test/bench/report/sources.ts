/** A command whose tables the report is made of. */
export interface Source {
  readonly script: 'bench' | 'eval' | 'test:soak';
  readonly args: readonly string[];
  /** A folder without which it is left out. */
  readonly folder?: string;
}

const sourceOf =
  (script: Source['script']) =>
  (...args: string[]): Source => ({ script, args });
const bench = sourceOf('bench');
const evaluation = sourceOf('eval');
const soak = sourceOf('test:soak');
/** A checkout of each repository that the table of the code chunker's evaluation names. */
const CODE = 'data/code';
/** Sets of questions in the layout of SQuAD: XQuAD, DRCD, JSQuAD. */
const WORLD = 'data/world';

/**
 * In the order in which they are run, in sizes with which all of them take 25 minutes on two cores: first what is
 * measured by the clock or in processor time, then what is counted, which a busy machine does not change. Two starts or
 * one round of requests, as `--quick` has, would say little.
 */
export const SOURCES: Readonly<Record<string, Source>> = {
  tokenizers: bench('tokenizers', '--quick'),
  chunkers: bench('chunkers', '--quick'),
  structure: bench('structure', '--quick'),
  semantic: bench('semantic', '--quick'),
  embeddings: bench('embeddings', '--quick'),
  presets: bench('presets', '--quick'),
  start: bench('start'),
  corpus: bench('corpus', '--quick', '--only', 'lines'),
  http: bench('http'),
  overload: soak('overload', '--seconds', '10'),
  load: soak('load', '--seconds', '60'),
  stream: soak('stream', '--count', '200', '--seconds', '10'),
  hostile: soak('hostile', '--count', '1', '--only', 'character'),
  kills: soak('kills', '--count', '20'),
  faults: soak('faults', '--count', '1'),
  crash: soak('crash', '--count', '20'),
  mutated: soak('mutated', '--count', '50'),
  fuzz: soak('fuzz', '--count', '100000'),
  exactness: bench('exactness', '--quick'),
  models: evaluation(),
  retrieval: evaluation('retrieval'),
  world: { ...evaluation('world', WORLD, 'even'), folder: WORLD },
  languages: evaluation('languages', 'node_modules'),
  code: { ...evaluation('code', CODE), folder: CODE },
  'code-exactness': { ...evaluation('code', CODE, 'exactness'), folder: CODE },
};

/** How tables of a source are shown. */
export interface View {
  readonly source: string;
  /** What titles of tables begin with that are shown; of speeds, with groups `work` and `text`. */
  readonly titles: RegExp;
  readonly caption: string;
  /** Columns in which less is better: ours is bold where a peer's splitter of the same kind does better. */
  readonly less?: readonly string[];
  /** Rows that are shown, by their names; all by default. */
  readonly rows?: RegExp;
  /** What the first column is. */
  readonly first?: string;
}

/** What a soak test does, in numbers: found beside what matches, or the group in it; `rows` counts what matches. */
export interface Endured {
  readonly source: string;
  readonly what: string;
  readonly done: readonly (readonly [label: string, what: RegExp, of?: 'rows'])[];
}

export interface Section {
  readonly name: string;
  readonly about: string;
  readonly views: readonly View[];
  readonly notes: readonly string[];
}

const CUT = ['headings stranded', 'fences cut', 'rows cut'];
const LOST = [
  'wrong offsets',
  'texts changed',
  'more than spaces',
  'over 256 tokens',
  'wrong counts',
  'errors',
];

export const SECTIONS: readonly Section[] = [
  {
    name: 'exactness',
    about:
      'Each splitter cuts the texts of our tests and real files at 256 tokens of `cl100k_base` without an overlap, with its defaults otherwise. Chunks are sliced, joined and counted again with tiktoken.',
    views: [
      { source: 'exactness', titles: /texts \(/, caption: '', less: LOST, first: 'splitter' },
      { source: 'exactness', titles: /counted otherwise/, caption: '', first: 'counter' },
      {
        source: 'code-exactness',
        titles: /./,
        caption: 'code, whole repositories at 300 tokens, functions whole up to 1,200',
        rows: /members/,
        first: 'splitter and language',
      },
    ],
    notes: [
      'An offset is wrong if the text there is not the chunk, or if it is before the chunk before. Spaces that are trimmed change a text; "more than spaces" are texts of which anything else is lost or changed, such as characters cut in their bytes.',
      'Ours: `sentence` keeps a sentence over the limit whole (`oversize: split` cuts it). `token` counts the tokens in its window of the whole text, so that a chunk which begins within a word can be counted otherwise alone.',
      'LangChain JS has no offsets or counts, LlamaIndex JS no counts, and its Markdown parser takes no limit; LlamaIndex searches for the text of a chunk, and finds the first of equal passages. Chonkie JS `Token` takes the number of a token for an offset, which is right for characters alone. Errors are special tokens in a text, which LangChain refuses unless it is set otherwise. Chonkie and semantic-text-splitter of Python could not be installed where this was measured.',
    ],
  },
  {
    name: 'quality',
    about:
      'What chunks do to the structure of Markdown, by the blocks that another parser finds (micromark); how well boundaries, languages and answers are found.',
    views: [
      { source: 'structure', titles: /READMEs at/, caption: '', less: CUT, first: 'splitter' },
      { source: 'models', titles: /Boundaries/, caption: 'topics of joined documents', first: 'chunker' },
      {
        source: 'retrieval',
        titles: /the best chunks/,
        caption: 'retrieval: the best chunks within 1,000 tokens, in percent with 95 % bootstrap intervals',
        first: 'chunker',
      },
      {
        source: 'world',
        titles: /^Recall of answers/,
        caption:
          'answers within 1,000 tokens in other languages, `recursive` of 256 tokens, in percent with 95 % bootstrap intervals; questions that nothing was chosen by',
        first: 'questions',
      },
      {
        source: 'world',
        titles: /^Topics/,
        caption:
          '`semantic` with all defaults on ten joined paragraphs of different articles (Pk, lower is better / F1); articles that nothing was chosen by',
        first: 'articles',
      },
      {
        source: 'code',
        titles: /^unseen: /,
        caption: 'functions found by their documentation, with 95 % bootstrap intervals (questions)',
        first: 'chunker',
      },
      {
        source: 'languages',
        titles: /Found by/,
        caption: '`language: auto`',
        first: 'language',
      },
    ],
    notes: [
      "A heading is stranded if a cut is between it and what it heads. LlamaIndex's Markdown parser cuts at headings alone, whatever the size of what is between them.",
      'In most languages words (BM25) find more than the built-in vectors, and both together are best or near it, so [index words as well](server/FIRST-INDEX.md). Greek, Romanian and Thai have no trained vectors.',
      'Languages: XQuAD (google-deepmind/xquad), DRCD (DRCDKnowledgeTeam/DRCD) and JSQuAD (yahoojapan/JGLUE), as files `<set>.<language>.json`.',
      'What does not help is in the tables as well: `recursive` without a recipe cuts fences, and over short paragraphs (topics) all chunkers are alike.',
      'Code: the first paragraph of its documentation asks for a function, and is taken out of the text; vectors of the built-in model and BM25 are fused. The preset `code` is "members, separate, names". Names and paths are searched in front of chunks, and are not counted. Without them, no way to cut by syntax beats a recipe beyond chance, except in Python and Rust by functions that share no chunk (`separate`): the last row. The preset gains least where all neighbours of a function are documented at length (ripgrep, clap, rayon, serde, axum and tokio, of the set `seen`: +3.2 over the best of others, within chance; where no function is documented, 62.8 beside 48.0 of cAST\'s method; `npm run eval -- code data/code seen` prints both). Files that crash the WebAssembly of Chonkie\'s grammars are one chunk.',
    ],
  },
  {
    name: 'speed',
    about:
      'Candidates run by turns, so that other load slows all alike. A figure is the median of rounds with its range in brackets; "3x" says that ours is three times as fast, in the same round. Ours is bold where it is slower than a peer, and so are ratios below 1.',
    views: [
      {
        source: 'tokenizers',
        titles:
          /^(?<work>cl100k_base|o200k_base), (?<text>english, one word in sixty altered|english$|multilingual$)/,
        caption: 'counting tokens, warm, and in a fresh process a text with altered words',
      },
      {
        source: 'chunkers',
        titles: /^(?<work>.+), (?<text>english|multilingual).*: JSON$/,
        caption: 'chunkers, from the bytes of a request to those of an answer',
      },
      {
        source: 'structure',
        titles: /^one thread: (?<text>READMEs), chunk_size (?<work>.+)$/,
        caption: 'Markdown of real READMEs, from the bytes of a request to those of an answer',
      },
      {
        source: 'semantic',
        titles: /^(?<work>semantic), (?<text>.+): JSON$/,
        caption: 'semantic chunking with the same vectors',
      },
      {
        source: 'embeddings',
        titles: /^(?<work>.+), \d+ chunks of (?<text>about .*)$/,
        caption: 'embeddings',
      },
      { source: 'http', titles: /KB x|MB x/, caption: 'requests', first: 'server' },
      {
        source: 'corpus',
        titles: /lines of JSON$/,
        caption:
          'a corpus on the command line: MB/s of the whole process, of its work without the start, and by a second of processor time; how many times as long the work takes as that of the row before without a ratio',
        first: 'way',
      },
      {
        source: 'presets',
        titles: /^(?<work>Markdown|JavaScript)(?<text>)$/,
        caption: 'presets, per core; peers only chunk; ratios are to `recursive` by characters',
      },
      {
        source: 'start',
        titles: /Medians? of/,
        caption: 'start and memory; peers are not servers',
        less: ['ms', 'core ms', 'resident MB'],
        rows: /^(?!.*nothing compiled)/,
        first: 'from the start of a process',
      },
    ],
    notes: [
      'The tables of exactness say which counters are right. Chunkers of peers are given gpt-tokenizer, which counts nearly all texts rightly and is fast. MB are 10^6 bytes of UTF-8, generated unless `BENCH_DATA` names a folder.',
    ],
  },
];

const SIGNAL = /: (worker|server|sink|command line) SIG/;
const FAULT =
  /^(SQLite|PostgreSQL|Chroma|S3): (?!refused|lost|doubled|stuck|wrong|longest|jobs|requests|writes).*: \d+$/;

export const ENDURED: readonly Endured[] = [
  {
    source: 'kills',
    what: 'workers, servers, sinks and command lines are killed, ended or stopped in the middle of jobs',
    done: [
      ['signals', SIGNAL],
      ['requests', /: requests, refused/],
    ],
  },
  {
    source: 'faults',
    what: 'databases, disks, sinks and buckets fail in the middle of jobs',
    done: [
      ['faults', FAULT],
      ['requests', /: requests, refused/],
    ],
  },
  {
    source: 'overload',
    what: 'four times the requests that can be served',
    done: [
      ['right answers', /right answers/],
      ['refused with 503', /honest refusals/],
    ],
  },
  {
    source: 'load',
    what: 'all kinds of requests as fast as they are served',
    done: [['requests', /^requests$/]],
  },
  {
    source: 'stream',
    what: 'one long stream, and one that is read slowly',
    done: [['documents', /^documents, /]],
  },
  {
    source: 'crash',
    what: 'a plugin ends its worker thread under load',
    done: [
      ['crashes', /^crashes/],
      ['right answers to others', /right answers meanwhile/],
    ],
  },
  {
    source: 'hostile',
    what: 'texts that make parsers quadratic: time for 1 MB, and how it grows',
    done: [['shapes', /./, 'rows']],
  },
  {
    source: 'mutated',
    what: 'damaged PDF, Office, HTML and subtitle files',
    done: [['files', /answers to (\d+) files/]],
  },
  {
    source: 'fuzz',
    what: "random texts, token by token against tiktoken's",
    done: [['texts', /of (\d+) texts/]],
  },
];
