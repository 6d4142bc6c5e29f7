/** Types of the OpenAPI document, written by `npm run openapi` with chunker/auto, chunker/code, chunker/html, chunker/json, chunker/markdown, chunker/markup, chunker/recursive, chunker/semantic, chunker/sentence, chunker/table, chunker/token, chunker/xml, refinery/context, refinery/embeddings, refinery/overlap, refinery/parents, refinery/summary, reader/docling, reader/docx, reader/epub, reader/html, reader/mail, reader/mhtml, reader/notebook, reader/ocr, reader/odf, reader/parquet, reader/pdf, reader/pptx, reader/rtf, reader/subtitles, reader/text, reader/tika, reader/xlsx, sink/chroma, sink/elasticsearch, sink/pgvector, sink/qdrant, embedding/cohere, embedding/openai, embedding/static, embedding/transformer, embedding/voyage, tokenizer/byte, tokenizer/character, tokenizer/huggingface, tokenizer/row, tokenizer/tiktoken, tokenizer/word. */

export interface ErrorBody {
  /** What is wrong and what to change. */
  detail: string;
}

export interface Plugin {
  /** Null for a broken plugin whose kind is unknown. */
  kind: 'chunker' | 'refinery' | 'reader' | 'sink' | 'embedding' | 'tokenizer';
  name: string;
  summary: string;
  /** Its own version, if it has one. */
  version?: string;
  /** Versions of the plugin contract that it supports. */
  engine?: string;
  /** Where it comes from: the server, a folder of plugins, or an npm package. */
  origin: 'builtin' | 'folder' | 'package';
  /** It can run, it lacks something on this machine, or it is faulty itself. */
  state: 'ready' | 'unavailable' | 'broken';
  /** Why it is not ready, with the remedy. */
  reason?: string;
  /** Why it may fail here although it is ready. */
  warning?: string;
  /** Whether the plugin can run here. */
  available: boolean;
  /** What it lacks, with the remedy. */
  missing: string[];
}

export interface ServiceInfo {
  name: string;
  version: string;
  docs: string;
  redoc: string;
  /** The page to compare settings; missing if it is turned off. */
  playground?: string;
  openapi: string;
  presets: string;
  /** Where to begin. */
  hint: string;
  /** Method and path of every endpoint. */
  endpoints: string[];
  /** Plugins that cannot run here, and why. */
  unavailable: Plugin[];
}

export interface EmbeddingModel {
  name: string;
  /** Other names that a request may use. */
  aliases: string[];
  /** The embedding plugin that opens it. */
  provider: string;
  /** Changes with the weights. */
  version?: string;
  /** Length of a vector. */
  dimensions?: number;
  /** Maximum tokens of a text that it reads, with its prompt and special tokens; null if it reads any text to its end, missing if that is not known. */
  window?: number | null;
}

export interface Tokenizer {
  name: string;
  /** Other names that a request may use. */
  aliases: string[];
  /** The tokenizer plugin that opens it. */
  provider: string;
  /** Whether it can be opened now. */
  available: boolean;
  /** What is missing, with the remedy. */
  missing: string[];
}

export interface TextInput {
  /** A text, or a list of texts: the answer is then a list of lists, in the same order. */
  text: string | string[];
}

export interface ChunkFields {
  /** Further fields of the chunks: lines adds first_line and last_line, pages first_page and last_page, places where it comes from, left_out what its file says there besides, neighbours previous_id and next_id. For documents the default is id, document_id, index and metadata. */
  include?: (
    | 'id'
    | 'document_id'
    | 'index'
    | 'hash'
    | 'metadata'
    | 'lines'
    | 'pages'
    | 'places'
    | 'left_out'
    | 'neighbours'
  )[];
  /** Chunk ids differ between namespaces, for example one per collection. */
  namespace?: string;
}

/**
 * Further options of the chunker markdown, where it is chosen.
 * @default {}
 */
export interface MarkdownOptions {
  /** Begins a new chunk at every heading of this level or above, even if more would fit; 0 cuts only by size. */
  split_level?: number;
  /** Whether the text is MDX: imports, exports and components are read as such. Default: whether the name of its file ends in .mdx. */
  mdx?: boolean | null;
  /** A chunk of fewer tokens joins a neighbour, as far as chunk_size allows it. Below 1: a fraction of chunk_size; from 1 up: a number of tokens. */
  min_chunk_size?: number;
  /** How to treat a code block, HTML block or table row above chunk_size: split it, so that chunk_size is a hard limit, or keep it whole. */
  oversize?: 'split' | 'keep';
  /** Content of context: the headings above the beginning of the chunk, the header of a table that it continues, the opening line of a fence that it continues. */
  carry?: ('headings' | 'header' | 'fence')[];
  /** Whether chunk_size limits the context and the text together. */
  count_context?: boolean;
  /** Whether each chunk lists its blocks, or parts of blocks, with their offsets. */
  include_blocks?: boolean;
}

/**
 * Further options of the chunker markup, where it is chosen.
 * @default {}
 */
export interface MarkupOptions {
  /** The markup language of the text. auto: by the media type, then the name of its file, then its content; a text that shows none is prose. */
  syntax?:
    | 'auto'
    | 'restructuredtext'
    | 'asciidoc'
    | 'org'
    | 'latex'
    | 'mediawiki'
    | 'textile'
    | 'pod'
    | 'texinfo'
    | 'roff';
  /** Begins a new chunk at every heading of this level or above, even if more would fit; 0 cuts only by size. */
  split_level?: number;
  /** A chunk of fewer tokens joins a neighbour, as far as chunk_size allows it. Below 1: a fraction of chunk_size; from 1 up: a number of tokens. */
  min_chunk_size?: number;
  /** How to treat a code block, a table, a directive or another block above chunk_size: split it, so that chunk_size is a hard limit, or keep it whole. */
  oversize?: 'split' | 'keep';
  /** Content of context: the headings above the beginning of the chunk, the lines that open a block of code or a directive that it continues. */
  carry?: ('headings' | 'fence')[];
  /** Whether chunk_size limits the context and the text together. */
  count_context?: boolean;
  /** Whether each chunk lists its blocks, or parts of blocks, with their offsets. */
  include_blocks?: boolean;
}

/**
 * Further options of the chunker html, where it is chosen.
 * @default {}
 */
export interface HtmlOptions {
  /** A chunk of fewer tokens joins a neighbour, as far as chunk_size allows it. Below 1: a fraction of chunk_size; from 1 up: a number of tokens. */
  min_chunk_size?: number;
  /** Begins a new chunk at every heading of this level or above, even if more would fit; 0 cuts only by size. */
  split_level?: number;
  /** How to treat a table row, pre, script or style above chunk_size: split it, so that chunk_size is a hard limit, or keep it whole. */
  oversize?: 'split' | 'keep';
  /** Names of elements to leave out, with their content. The joined chunks are then not the whole text, and a header says how many elements were left out. */
  skip?: string[];
  /** Content of context: headings is the path of the headings above the chunk, header is the header of the table in whose rows it begins. */
  carry?: ('headings' | 'header')[];
  /** Whether chunk_size limits the context and the text together. */
  count_context?: boolean;
}

/**
 * Further options of the chunker xml, where it is chosen.
 * @default {}
 */
export interface XmlOptions {
  /** A chunk of fewer tokens joins a neighbour, as far as chunk_size allows it. Below 1: a fraction of chunk_size; from 1 up: a number of tokens. */
  min_chunk_size?: number;
  /** Content of context: headings is the path of the headings above the chunk. */
  carry?: 'headings'[];
  /** Whether chunk_size limits the context and the text together. */
  count_context?: boolean;
}

/**
 * Further options of the chunker table, where it is chosen.
 * @default {}
 */
export interface TableOptions {
  /** Maximum rows per chunk, excluding the header; chunk_size still applies. By default only chunk_size applies. */
  rows_per_chunk?: number | null;
  /** A chunk of fewer tokens joins a neighbour, as far as chunk_size allows it. Below 1: a fraction of chunk_size; from 1 up: a number of tokens. */
  min_chunk_size?: number;
  /** Format of the tables; auto chooses HTML or Markdown if it finds such a table, else CSV. */
  format?: 'auto' | 'csv' | 'tsv' | 'markdown' | 'html';
  /** Field delimiter of CSV. Default: a tab with format tsv, else the one of comma, tab, semicolon and pipe by which the first records have the same number of fields. */
  delimiter?: string | null;
  /** Quote character around CSV fields that contain delimiters or line breaks; doubled within them. null means none. */
  quote?: string | null;
  /** Number of header rows. Default: one in CSV and Markdown; in HTML those of thead, or the first rows with only th. */
  header_rows?: number | null;
  /** Whether chunks that begin after the header have it as context. */
  carry?: 'header' | 'none';
  /** Whether chunk_size limits the context and the text together. */
  count_context?: boolean;
  /** How to treat a row above chunk_size: split it between its cells, then as text, or keep it whole. */
  oversize?: 'split' | 'keep';
}

/**
 * Further options of the chunker json, where it is chosen.
 * @default {}
 */
export interface JsonOptions {
  /** A chunk of fewer tokens joins a neighbour, as far as chunk_size allows it. Below 1: a fraction of chunk_size; from 1 up: a number of tokens. */
  min_chunk_size?: number;
  /** Whether to chunk invalid JSON along its brackets, strings and commas instead of refusing it. */
  tolerant?: boolean;
  /** How to treat a single value above chunk_size: split it (a string between words, never within an escape), or keep it whole. */
  oversize?: 'split' | 'keep';
}

/**
 * Further options of the chunker code, where it is chosen.
 * @default {}
 */
export interface CodeOptions {
  /** Language of the code: astro, bash, c, cpp, csharp, css, dart, elixir, erb, go, handlebars, haskell, html, java, javascript, jinja, json, kotlin, lua, markdown, perl, php, python, r, ruby, rust, scala, sql, svelte, swift, toml, tsx, typescript, vue, yaml, zig, a common alias such as js, c++ or golang, or auto. Default: python, or auto if the text has a file name. */
  language?: string | null;
  /** Whether each chunk lists its syntax units: type, name, lines and offsets. */
  include_nodes?: boolean;
  /** How to treat a function or class above chunk_size: keep it whole; split it along its syntax; or members: cut a class between its members, and keep a function whole up to at most four times chunk_size, with its comments and decorators. */
  oversize?: 'keep' | 'split' | 'members';
  /** Whether a function shares no chunk with what is before or after it, nor the rest of a class that was cut with what is around the class. Vectors find more functions then; there are about twice as many chunks. */
  separate_functions?: boolean;
}

/**
 * Further options of the chunker recursive, where it is chosen.
 * @default {}
 */
export interface RecursiveOptions {
  /** Tokens that a chunk repeats from the end of the previous one. Less than chunk_size. */
  chunk_overlap?: number;
  /** Hierarchy of separators: default, markdown, python, js, lines, diff, log, mail, or a file of the recipes folder. */
  recipe?: string;
  /** Literal strings that end a piece, instead of a recipe; larger pieces are cut between tokens. */
  delimiters?: string[];
  /** A custom hierarchy, instead of a recipe: lists of delimiters, coarsest first. */
  levels?: string[][];
  /** Language of the text (BCP 47), for its sentence and clause endings; an unknown language gets the default ones. */
  lang?: string;
  /** Minimum characters per chunk, as far as chunk_size allows it. */
  min_characters_per_chunk?: number;
}

export interface AutoChunkerOptions {
  /** Tokenizer that defines a token: byte, character, row, gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, o200k_harmony, gpt-4, gpt-4o, gpt-5, 20 more names of the same kind, word, the name of an installed tokenizer from the hub. */
  tokenizer?: string;
  /** Maximum tokens per chunk. */
  chunk_size?: number;
  /** Whether lines that are headings only by their number (Article 5, § 3 Scope, 2.1.4 Scope, II., 第一章) count as headings: if their numbers form a sequence in the whole text. */
  numbered_headings?: boolean;
  /** Name of the text's file, or its path. Default: the document's `filename`, else its `id`. It decides if its extension is known. */
  filename?: string | null;
  /** Further options of the chunker markdown, where it is chosen. */
  markdown?: MarkdownOptions;
  /** Further options of the chunker markup, where it is chosen. */
  markup?: MarkupOptions;
  /** Further options of the chunker html, where it is chosen. */
  html?: HtmlOptions;
  /** Further options of the chunker xml, where it is chosen. */
  xml?: XmlOptions;
  /** Further options of the chunker table, where it is chosen. */
  table?: TableOptions;
  /** Further options of the chunker json, where it is chosen. */
  json?: JsonOptions;
  /** Further options of the chunker code, where it is chosen. */
  code?: CodeOptions;
  /** Further options of the chunker recursive, where it is chosen. */
  recursive?: RecursiveOptions;
  /** Unit of start_index and end_index: code points (Python), UTF-16 units (JavaScript, Java) or bytes of UTF-8 (Go, Rust). */
  offset_unit?: 'code_point' | 'utf16' | 'byte';
}

export interface SourcePlace {
  /**
   * Where it begins in the text, in the request's unit.
   * @min 0
   */
  start: number;
  /**
   * Where it ends in the text.
   * @min 0
   */
  end: number;
  /**
   * The page, from 1; a slide is a page.
   * @min 1
   * @max 1000000
   */
  page?: number;
  /**
   * Left, top, right and bottom as fractions of the page as it is shown, from its top left corner.
   * @maxItems 4
   * @minItems 4
   */
  box?: number[];
  /**
   * Where it begins in a recording, in seconds.
   * @min 0
   */
  start_time?: number;
  /**
   * Where it ends in a recording, in seconds.
   * @min 0
   */
  end_time?: number;
  /** Who speaks. */
  speaker?: string;
  /** The name of the sheet. */
  sheet?: string;
  /** A cell of a sheet, or a range of cells: `B2:D9`. */
  cells?: string;
  /**
   * The cell of a notebook, from 1.
   * @min 1
   * @max 1000000
   */
  cell?: number;
  /**
   * The picture of the file, from 1, that the text describes.
   * @min 1
   * @max 1000000
   */
  image?: number;
  [key: string]: unknown;
}

export interface LeftOutText {
  /**
   * Where it begins in the text, in the request's unit.
   * @min 0
   */
  start: number;
  /**
   * Where it ends in the text.
   * @min 0
   */
  end: number;
  /**
   * The page, from 1; a slide is a page.
   * @min 1
   * @max 1000000
   */
  page?: number;
  /**
   * Left, top, right and bottom as fractions of the page as it is shown, from its top left corner.
   * @maxItems 4
   * @minItems 4
   */
  box?: number[];
  /**
   * Where it begins in a recording, in seconds.
   * @min 0
   */
  start_time?: number;
  /**
   * Where it ends in a recording, in seconds.
   * @min 0
   */
  end_time?: number;
  /** Who speaks. */
  speaker?: string;
  /** The name of the sheet. */
  sheet?: string;
  /** A cell of a sheet, or a range of cells: `B2:D9`. */
  cells?: string;
  /**
   * The cell of a notebook, from 1.
   * @min 1
   * @max 1000000
   */
  cell?: number;
  /**
   * The picture of the file, from 1, that the text describes.
   * @min 1
   * @max 1000000
   */
  image?: number;
  /** What it is, such as `header_or_footer_line`. */
  kind: string;
  text: string;
  [key: string]: unknown;
}

export interface Document {
  /** The text to chunk. */
  text: string;
  /** Your id of the document; the ids of its chunks are derived from it. An integer and the string of its digits are the same id. */
  id?: string | number;
  /** Title of the document, for plugins that use it. */
  title?: string;
  /**
   * File name, optionally with folders, for plugins that detect the format by it.
   * @minLength 1
   * @maxLength 4096
   */
  filename?: string;
  /**
   * Format of the text, if it is not the one that the file name tells.
   * @maxLength 255
   * @pattern ^[a-z0-9.+-]+/[a-z0-9.+-]+$
   */
  media_type?: string;
  /** Any JSON; each chunk gets an exact copy of its bytes, so no number changes. */
  metadata?: object;
  /** Where the pages begin in the text, in the unit of the request; the first is 0. Two equal offsets mean a page without text. */
  pages?: number[];
  /** Where stretches of the text come from: pages, times of a recording, cells of a sheet. Neither starts nor ends decrease. */
  places?: SourcePlace[];
  /** Texts that were left out of the text, such as headers, in the order of places. */
  left_out?: LeftOutText[];
}

export interface DocumentsInput {
  /** Documents: the answer is a list of lists, in the same order. */
  documents: Document[];
}

/** Lines of JSON: first the options, `{}` for none, then documents, as in `documents`. Each answer is sent as soon as it is ready, so read while you send: the server stops reading until its answers are read. */
export type DocumentStream = string;

export interface SourcePosition {
  /**
   * The page, from 1; a slide is a page.
   * @min 1
   * @max 1000000
   */
  page?: number;
  /**
   * Left, top, right and bottom as fractions of the page as it is shown, from its top left corner.
   * @maxItems 4
   * @minItems 4
   */
  box?: number[];
  /**
   * Where it begins in a recording, in seconds.
   * @min 0
   */
  start_time?: number;
  /**
   * Where it ends in a recording, in seconds.
   * @min 0
   */
  end_time?: number;
  /** Who speaks. */
  speaker?: string;
  /** The name of the sheet. */
  sheet?: string;
  /** A cell of a sheet, or a range of cells: `B2:D9`. */
  cells?: string;
  /**
   * The cell of a notebook, from 1.
   * @min 1
   * @max 1000000
   */
  cell?: number;
  /**
   * The picture of the file, from 1, that the text describes.
   * @min 1
   * @max 1000000
   */
  image?: number;
}

export interface LeftOutPosition {
  /** What it is, such as `header_or_footer_line`. */
  kind?: string;
  text?: string;
  /**
   * The page, from 1; a slide is a page.
   * @min 1
   * @max 1000000
   */
  page?: number;
  /**
   * Left, top, right and bottom as fractions of the page as it is shown, from its top left corner.
   * @maxItems 4
   * @minItems 4
   */
  box?: number[];
  /**
   * Where it begins in a recording, in seconds.
   * @min 0
   */
  start_time?: number;
  /**
   * Where it ends in a recording, in seconds.
   * @min 0
   */
  end_time?: number;
  /** Who speaks. */
  speaker?: string;
  /** The name of the sheet. */
  sheet?: string;
  /** A cell of a sheet, or a range of cells: `B2:D9`. */
  cells?: string;
  /**
   * The cell of a notebook, from 1.
   * @min 1
   * @max 1000000
   */
  cell?: number;
  /**
   * The picture of the file, from 1, that the text describes.
   * @min 1
   * @max 1000000
   */
  image?: number;
}

export interface Chunk {
  /** A stretch of the text, unchanged. */
  text: string;
  /**
   * Where the chunk begins in the text, in the request's unit.
   * @min 0
   */
  start_index: number;
  /**
   * Where the chunk ends in the text.
   * @min 0
   */
  end_index: number;
  /**
   * Tokens of the chunk, counted by the request's tokenizer.
   * @min 0
   */
  token_count: number;
  /**
   * Stays the same as long as the document and the content do.
   * @format uuid
   */
  id?: string;
  document_id?: string | null;
  /**
   * Index among the chunks of its document.
   * @min 0
   */
  index?: number;
  /** SHA-256 of the text to embed, in hex. */
  hash?: string;
  /** The metadata of the document. */
  metadata?: object | null;
  /** @min 1 */
  first_line?: number | null;
  /** @min 1 */
  last_line?: number | null;
  /** @min 1 */
  first_page?: number | null;
  /** @min 1 */
  last_page?: number | null;
  /** Where the chunk comes from, each place once; null if its document has no places. */
  places?: SourcePosition[] | null;
  /** Texts that the reader left out within the chunk, or between it and the next one. */
  left_out?: LeftOutPosition[];
  /** @format uuid */
  previous_id?: string | null;
  /** @format uuid */
  next_id?: string | null;
}

export interface MarkupBlock {
  /** heading, paragraph, list, quote, code, table, block, ... */
  kind: string;
  /** For a heading of a section: from 1, the highest. */
  level?: number;
  /** For code: the language that it names. */
  language?: string;
  start_index: number;
  end_index: number;
}

export interface SyntaxNode {
  /** Type of the syntax node, as named by the grammar. */
  type: string;
  name?: string;
  /** First line, counted from 1. */
  start_line: number;
  /** Last line. */
  end_line: number;
  /** Where it begins in the text, in the request's unit. */
  start_index: number;
  /** Where it ends in the text. */
  end_index: number;
  /** The units that contain it, outermost first, if they were cut or only contain others, as a namespace does. */
  scope?: string[];
  /** The names of the functions and classes in a class that was not cut. */
  members?: string[];
}

export type AutoChunkerChunk = Chunk & {
  /** The headings that apply to the whole chunk, the highest first, as plain text of at most 200 characters each. */
  heading_path?: string[];
  /** The kinds of blocks in the chunk, each once, in the order of the text. */
  kinds?: string[];
  /** The language of the code in the chunk, if all names the same one. */
  language?: string;
  /**
   * The first and the last table row in the chunk, counted from 1 without the header.
   * @maxItems 2
   * @minItems 2
   */
  rows?: number[];
  /** What a reader needs to know before the text and is not part of it: the beginning of the element in whose middle the chunk begins. */
  context?: string;
  /** True if the context was too large, and some or all of it was left out. */
  context_shortened?: boolean;
  /** With include_blocks: the blocks of the chunk. */
  blocks?: MarkupBlock[];
  /** XPath of the smallest element that contains the chunk, with prefixes as written; null if it is longer than 256 characters or 64 levels. */
  xpath?: string | null;
  /**
   * The first and the last element in the chunk, counted from 1, if pointer is that of an array.
   * @maxItems 2
   * @minItems 2
   */
  elements?: number[];
  /** JSON Pointer (RFC 6901) of the smallest value that contains the chunk, within its record; null if the chunk spans several records, or if the pointer is longer than 256 characters or 64 levels. */
  pointer?: string | null;
  /**
   * The first and the last record in the chunk, counted from 1, if the text is more than one JSON value.
   * @maxItems 2
   * @minItems 2
   */
  records?: number[];
  /** With include_nodes: the syntax units of the chunk. */
  nodes?: SyntaxNode[];
  /** The chunker that was chosen for the text. */
  chunker?: 'markdown' | 'markup' | 'html' | 'xml' | 'table' | 'json' | 'code' | 'recursive';
};

/** The answer to a line: `chunks`, or the `error` of this line alone. */
export interface StreamLine {
  /**
   * The index of the document in the stream.
   * @min 0
   */
  index: number;
  /** The id of the document, if it has one. */
  id?: string;
  /**
   * Number of chunks with more tokens than `chunk_size`; missing if zero.
   * @min 1
   */
  chunks_oversize?: number;
  /**
   * Number of texts with no word that the model knows; missing if zero.
   * @min 1
   */
  embedding_empty?: number;
  /** Their indexes, such as those of chunks; the first 100. */
  embedding_empty_at?: number[];
  /**
   * Number of texts in languages unknown to the model: their vectors are lexical; missing if zero.
   * @min 1
   */
  embedding_fallback?: number;
  /**
   * Number of texts that are longer than the model's window; missing if zero.
   * @min 1
   */
  embedding_cut?: number;
  /** The same as in a JSON answer. */
  chunks?: Chunk[];
  error?: {
    /** The status that a request with only this input would have. */
    status: number;
    /** What is wrong and what to change. */
    detail: string;
  };
}

/** A `StreamLine` for each document or list of chunks, in order. */
export type StreamAnswer = string;

export interface CodeChunkerOptions {
  /** Tokenizer that defines a token: byte, character, row, gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, o200k_harmony, gpt-4, gpt-4o, gpt-5, 20 more names of the same kind, word, the name of an installed tokenizer from the hub. */
  tokenizer?: string;
  /** Maximum tokens per chunk. */
  chunk_size?: number;
  /** Language of the code: astro, bash, c, cpp, csharp, css, dart, elixir, erb, go, handlebars, haskell, html, java, javascript, jinja, json, kotlin, lua, markdown, perl, php, python, r, ruby, rust, scala, sql, svelte, swift, toml, tsx, typescript, vue, yaml, zig, a common alias such as js, c++ or golang, or auto. Default: python, or auto if the text has a file name. */
  language?: string | null;
  /** Name of the text's file, or its path; default: the document's `filename`, else its `id`. With language auto it decides if its name or extension is known. */
  filename?: string | null;
  /** Whether each chunk lists its syntax units: type, name, lines and offsets. */
  include_nodes?: boolean;
  /** How to treat a function or class above chunk_size: keep it whole; split it along its syntax; or members: cut a class between its members, and keep a function whole up to at most four times chunk_size, with its comments and decorators. */
  oversize?: 'keep' | 'split' | 'members';
  /** Whether a function shares no chunk with what is before or after it, nor the rest of a class that was cut with what is around the class. Vectors find more functions then; there are about twice as many chunks. */
  separate_functions?: boolean;
  /** Unit of start_index and end_index: code points (Python), UTF-16 units (JavaScript, Java) or bytes of UTF-8 (Go, Rust). */
  offset_unit?: 'code_point' | 'utf16' | 'byte';
}

export type CodeChunkerChunk = Chunk & {
  /** With include_nodes: the syntax units of the chunk. */
  nodes?: SyntaxNode[];
};

export interface HtmlChunkerOptions {
  /** Tokenizer that defines a token: byte, character, row, gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, o200k_harmony, gpt-4, gpt-4o, gpt-5, 20 more names of the same kind, word, the name of an installed tokenizer from the hub. */
  tokenizer?: string;
  /** Maximum tokens per chunk. */
  chunk_size?: number;
  /** A chunk of fewer tokens joins a neighbour, as far as chunk_size allows it. Below 1: a fraction of chunk_size; from 1 up: a number of tokens. */
  min_chunk_size?: number;
  /** Begins a new chunk at every heading of this level or above, even if more would fit; 0 cuts only by size. */
  split_level?: number;
  /** How to treat a table row, pre, script or style above chunk_size: split it, so that chunk_size is a hard limit, or keep it whole. */
  oversize?: 'split' | 'keep';
  /** Names of elements to leave out, with their content. The joined chunks are then not the whole text, and a header says how many elements were left out. */
  skip?: string[];
  /** Content of context: headings is the path of the headings above the chunk, header is the header of the table in whose rows it begins. */
  carry?: ('headings' | 'header')[];
  /** Whether chunk_size limits the context and the text together. */
  count_context?: boolean;
  /** Unit of start_index and end_index: code points (Python), UTF-16 units (JavaScript, Java) or bytes of UTF-8 (Go, Rust). */
  offset_unit?: 'code_point' | 'utf16' | 'byte';
}

export type HtmlChunkerChunk = Chunk & {
  /** The headings that apply to the whole chunk, the highest first, as plain text of at most 200 characters each. */
  heading_path?: string[];
  /** The kinds of blocks in the chunk, each once, in the order of the text. */
  kinds?: string[];
  /**
   * The first and the last table row in the chunk, counted from 1 without the header.
   * @maxItems 2
   * @minItems 2
   */
  rows?: number[];
  /** What a reader needs to know before the text and is not part of it: the beginning of the element in whose middle the chunk begins. */
  context?: string;
  /** True if the context was too large, and some or all of it was left out. */
  context_shortened?: boolean;
};

export interface JsonChunkerOptions {
  /** Tokenizer that defines a token: byte, character, row, gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, o200k_harmony, gpt-4, gpt-4o, gpt-5, 20 more names of the same kind, word, the name of an installed tokenizer from the hub. */
  tokenizer?: string;
  /** Maximum tokens per chunk. */
  chunk_size?: number;
  /** A chunk of fewer tokens joins a neighbour, as far as chunk_size allows it. Below 1: a fraction of chunk_size; from 1 up: a number of tokens. */
  min_chunk_size?: number;
  /** Whether to chunk invalid JSON along its brackets, strings and commas instead of refusing it. */
  tolerant?: boolean;
  /** How to treat a single value above chunk_size: split it (a string between words, never within an escape), or keep it whole. */
  oversize?: 'split' | 'keep';
  /** Unit of start_index and end_index: code points (Python), UTF-16 units (JavaScript, Java) or bytes of UTF-8 (Go, Rust). */
  offset_unit?: 'code_point' | 'utf16' | 'byte';
}

export type JsonChunkerChunk = Chunk & {
  /** JSON Pointer (RFC 6901) of the smallest value that contains the chunk, within its record; null if the chunk spans several records, or if the pointer is longer than 256 characters or 64 levels. */
  pointer?: string | null;
  /**
   * The first and the last element in the chunk, counted from 1, if pointer is that of an array.
   * @maxItems 2
   * @minItems 2
   */
  elements?: number[];
  /**
   * The first and the last record in the chunk, counted from 1, if the text is more than one JSON value.
   * @maxItems 2
   * @minItems 2
   */
  records?: number[];
};

export interface MarkdownChunkerOptions {
  /** Tokenizer that defines a token: byte, character, row, gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, o200k_harmony, gpt-4, gpt-4o, gpt-5, 20 more names of the same kind, word, the name of an installed tokenizer from the hub. */
  tokenizer?: string;
  /** Maximum tokens per chunk. */
  chunk_size?: number;
  /** Begins a new chunk at every heading of this level or above, even if more would fit; 0 cuts only by size. */
  split_level?: number;
  /** Whether lines that are headings only by their number (Article 5, § 3 Scope, 2.1.4 Scope, II., 第一章) count as headings: if their numbers form a sequence in the whole text. */
  numbered_headings?: boolean;
  /** Whether the text is MDX: imports, exports and components are read as such. Default: whether the name of its file ends in .mdx. */
  mdx?: boolean | null;
  /** A chunk of fewer tokens joins a neighbour, as far as chunk_size allows it. Below 1: a fraction of chunk_size; from 1 up: a number of tokens. */
  min_chunk_size?: number;
  /** How to treat a code block, HTML block or table row above chunk_size: split it, so that chunk_size is a hard limit, or keep it whole. */
  oversize?: 'split' | 'keep';
  /** Content of context: the headings above the beginning of the chunk, the header of a table that it continues, the opening line of a fence that it continues. */
  carry?: ('headings' | 'header' | 'fence')[];
  /** Whether chunk_size limits the context and the text together. */
  count_context?: boolean;
  /** Whether each chunk lists its blocks, or parts of blocks, with their offsets. */
  include_blocks?: boolean;
  /** Unit of start_index and end_index: code points (Python), UTF-16 units (JavaScript, Java) or bytes of UTF-8 (Go, Rust). */
  offset_unit?: 'code_point' | 'utf16' | 'byte';
}

export interface MarkdownBlock {
  /** heading, paragraph, list, quote, fence, table, html, ... */
  kind: string;
  /** For a heading: from 1, the highest. */
  level?: number;
  /** For a fence: the first word after its marker. */
  language?: string;
  start_index: number;
  end_index: number;
}

export type MarkdownChunkerChunk = Chunk & {
  /** The headings that apply to the whole chunk, the highest first, as plain text of at most 200 characters each. */
  heading_path?: string[];
  /** The kinds of blocks in the chunk, each once, in the order of the text. */
  kinds?: string[];
  /** The language of the fences in the chunk, if all name the same one. */
  language?: string;
  /**
   * The first and the last table row in the chunk, counted from 1 without the header.
   * @maxItems 2
   * @minItems 2
   */
  rows?: number[];
  /** What a reader needs to know before the text and is not part of it: the beginning of the element in whose middle the chunk begins. */
  context?: string;
  /** True if the context was too large, and some or all of it was left out. */
  context_shortened?: boolean;
  /** With include_blocks: the blocks of the chunk. */
  blocks?: MarkdownBlock[];
};

export interface MarkupChunkerOptions {
  /** Tokenizer that defines a token: byte, character, row, gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, o200k_harmony, gpt-4, gpt-4o, gpt-5, 20 more names of the same kind, word, the name of an installed tokenizer from the hub. */
  tokenizer?: string;
  /** Maximum tokens per chunk. */
  chunk_size?: number;
  /** The markup language of the text. auto: by the media type, then the name of its file, then its content; a text that shows none is prose. */
  syntax?:
    | 'auto'
    | 'restructuredtext'
    | 'asciidoc'
    | 'org'
    | 'latex'
    | 'mediawiki'
    | 'textile'
    | 'pod'
    | 'texinfo'
    | 'roff';
  /** Name of the text's file, or its path; default: the document's `filename`, else its `id`. */
  filename?: string | null;
  /** Begins a new chunk at every heading of this level or above, even if more would fit; 0 cuts only by size. */
  split_level?: number;
  /** A chunk of fewer tokens joins a neighbour, as far as chunk_size allows it. Below 1: a fraction of chunk_size; from 1 up: a number of tokens. */
  min_chunk_size?: number;
  /** How to treat a code block, a table, a directive or another block above chunk_size: split it, so that chunk_size is a hard limit, or keep it whole. */
  oversize?: 'split' | 'keep';
  /** Content of context: the headings above the beginning of the chunk, the lines that open a block of code or a directive that it continues. */
  carry?: ('headings' | 'fence')[];
  /** Whether chunk_size limits the context and the text together. */
  count_context?: boolean;
  /** Whether each chunk lists its blocks, or parts of blocks, with their offsets. */
  include_blocks?: boolean;
  /** Unit of start_index and end_index: code points (Python), UTF-16 units (JavaScript, Java) or bytes of UTF-8 (Go, Rust). */
  offset_unit?: 'code_point' | 'utf16' | 'byte';
}

export type MarkupChunkerChunk = Chunk & {
  /** The headings that apply to the whole chunk, the highest first, as plain text of at most 200 characters each. */
  heading_path?: string[];
  /** The kinds of blocks in the chunk, each once, in the order of the text. */
  kinds?: string[];
  /** The language of the code in the chunk, if all names the same one. */
  language?: string;
  /** What a reader needs to know before the text and is not part of it: the beginning of the element in whose middle the chunk begins. */
  context?: string;
  /** True if the context was too large, and some or all of it was left out. */
  context_shortened?: boolean;
  /** With include_blocks: the blocks of the chunk. */
  blocks?: MarkupBlock[];
};

export interface RecursiveChunkerOptions {
  /** Tokenizer that defines a token: byte, character, row, gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, o200k_harmony, gpt-4, gpt-4o, gpt-5, 20 more names of the same kind, word, the name of an installed tokenizer from the hub. */
  tokenizer?: string;
  /** Maximum tokens per chunk. */
  chunk_size?: number;
  /** Tokens that a chunk repeats from the end of the previous one. Less than chunk_size. */
  chunk_overlap?: number;
  /** Hierarchy of separators: default, markdown, python, js, lines, diff, log, mail, or a file of the recipes folder. */
  recipe?: string;
  /** Literal strings that end a piece, instead of a recipe; larger pieces are cut between tokens. */
  delimiters?: string[];
  /** A custom hierarchy, instead of a recipe: lists of delimiters, coarsest first. */
  levels?: string[][];
  /** Language of the text (BCP 47), for its sentence and clause endings; an unknown language gets the default ones. */
  lang?: string;
  /** Whether lines that are headings only by their number (Article 5, § 3 Scope, 2.1.4 Scope, II., 第一章) count as headings: if their numbers form a sequence in the whole text. */
  numbered_headings?: boolean;
  /** Minimum characters per chunk, as far as chunk_size allows it. */
  min_characters_per_chunk?: number;
  /** Unit of start_index and end_index: code points (Python), UTF-16 units (JavaScript, Java) or bytes of UTF-8 (Go, Rust). */
  offset_unit?: 'code_point' | 'utf16' | 'byte';
}

export type RecursiveChunkerChunk = Chunk & {
  /** The headings that apply to the whole chunk, the highest first, as plain text of at most 200 characters each. */
  heading_path?: string[];
};

export interface SemanticChunkerOptions {
  /** Tokenizer that defines a token: byte, character, row, gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, o200k_harmony, gpt-4, gpt-4o, gpt-5, 20 more names of the same kind, word, the name of an installed tokenizer from the hub. null is that of the model, with a token for each character that its vocabulary lacks. */
  tokenizer?: string | null;
  /** What to do with a text that is longer than the model's window: embed it in parts and average their vectors, cut it, or refuse the request. A hosted model always refuses. x-embedding-cut counts such texts. */
  long_texts?: 'average' | 'cut' | 'refuse';
  /** The model that compares sentences: a built-in one, an installed local one, or one of a hosted provider. Its own tokenizer counts chunk_size, unless `tokenizer` names another. */
  embedding_model?: string;
  /** Similarity below which the text is cut, where the similarity is lowest; lower values give fewer, larger chunks. auto uses the text's own mean minus one standard deviation. */
  threshold?: number | 'auto';
  /** Maximum tokens per chunk. */
  chunk_size?: number;
  /** Number of sentences on either side that are compared. */
  similarity_window?: number;
  /** Minimum sentences per chunk, as far as chunk_size allows it. */
  min_sentences_per_chunk?: number;
  /** Minimum characters per sentence; a shorter one is joined to its neighbour. */
  min_characters_per_sentence?: number;
  /** A stretch of fewer tokens joins the neighbour that it resembles more. Below 1: a fraction of chunk_size, or of 256 if that is less; from 1 up: a number of tokens. */
  min_chunk_size?: number;
  /** Minimum characters per chunk, as far as chunk_size allows it; counts instead of min_chunk_size. */
  min_characters_per_chunk?: number | null;
  /** What ends a sentence: the strings of delim, or the rules of prose, which suit most texts. Rules know abbreviations, initials, numbers, ellipses, closing quotation marks and the marks of all scripts; a line break ends a sentence only with its paragraph, list item, heading or verse. With them delim and include_delim have no effect. */
  sentences?: 'delimiters' | 'rules';
  /** Language of the text (BCP 47), for its abbreviations, with sentences: rules; an unknown language gets those of English. */
  lang?: string;
  /** Literal strings that end a sentence, never patterns. If several match at one place, the longest counts. */
  delim?: string | string[];
  /** Whether a delimiter goes with the sentence before it or the one after it. null means prev: no text is lost. */
  include_delim?: 'prev' | 'next';
  /** Maximum length of a digression, in groups of sentences: it is not cut off if the text after it resembles the text before it. */
  skip_window?: number;
  /** Number of gaps between sentences over which similarities are smoothed (Savitzky-Golay), odd. Any filter_ option turns the filter on, which is off by default; the window is then 5, or larger if filter_polyorder requires it. */
  filter_window?: 3 | 5 | 7 | 9 | 11 | 13 | 15 | 17 | 19 | 21 | 23 | 25 | 27 | 29 | 31;
  /** Order of the filter's polynomials, less than filter_window; 3 if only other filter_ options are given. */
  filter_polyorder?: number | null;
  /** Slope below which the smoothed similarities count as level, so that the text can be cut; 0.2 if only other filter_ options are given. */
  filter_tolerance?: number | null;
  /** threshold cuts where similarity is low; cluster finds the division with the most similar sentences in each chunk. */
  mode?: 'threshold' | 'cluster';
  /** A single sentence, function or class above chunk_size: kept whole, or split so that chunk_size is a hard limit. */
  oversize?: 'keep' | 'split';
  /** Unit of start_index and end_index: code points (Python), UTF-16 units (JavaScript, Java) or bytes of UTF-8 (Go, Rust). */
  offset_unit?: 'code_point' | 'utf16' | 'byte';
}

export interface SentenceChunkerOptions {
  /** Tokenizer that defines a token: byte, character, row, gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, o200k_harmony, gpt-4, gpt-4o, gpt-5, 20 more names of the same kind, word, the name of an installed tokenizer from the hub. */
  tokenizer?: string;
  /** Maximum tokens per chunk. */
  chunk_size?: number;
  /** Tokens that a chunk repeats from the end of the previous one. Less than chunk_size. */
  chunk_overlap?: number;
  /** Minimum sentences per chunk, as far as chunk_size allows it. */
  min_sentences_per_chunk?: number;
  /** Minimum characters per sentence; a shorter one is joined to its neighbour. */
  min_characters_per_sentence?: number;
  /** Estimates the sizes of sentences for speed. The limit and token_count stay exact; a chunk may hold fewer sentences than it could. */
  approximate?: boolean;
  /** What ends a sentence: the strings of delim, or the rules of prose, which suit most texts. Rules know abbreviations, initials, numbers, ellipses, closing quotation marks and the marks of all scripts; a line break ends a sentence only with its paragraph, list item, heading or verse. With them delim and include_delim have no effect. */
  sentences?: 'delimiters' | 'rules';
  /** Language of the text (BCP 47), for its abbreviations, with sentences: rules; an unknown language gets those of English. */
  lang?: string;
  /** Literal strings that end a sentence, never patterns. If several match at one place, the longest counts. */
  delim?: string | string[];
  /** Whether a delimiter goes with the sentence before it or the one after it. null means prev: no text is lost. */
  include_delim?: 'prev' | 'next';
  /** A single sentence, function or class above chunk_size: kept whole, or split so that chunk_size is a hard limit. */
  oversize?: 'keep' | 'split';
  /** Unit of start_index and end_index: code points (Python), UTF-16 units (JavaScript, Java) or bytes of UTF-8 (Go, Rust). */
  offset_unit?: 'code_point' | 'utf16' | 'byte';
}

export interface TableChunkerOptions {
  /** Tokenizer that defines a token: byte, character, row, gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, o200k_harmony, gpt-4, gpt-4o, gpt-5, 20 more names of the same kind, word, the name of an installed tokenizer from the hub. */
  tokenizer?: string;
  /** Maximum tokens per chunk. */
  chunk_size?: number;
  /** Maximum rows per chunk, excluding the header; chunk_size still applies. By default only chunk_size applies. */
  rows_per_chunk?: number | null;
  /** A chunk of fewer tokens joins a neighbour, as far as chunk_size allows it. Below 1: a fraction of chunk_size; from 1 up: a number of tokens. */
  min_chunk_size?: number;
  /** Format of the tables; auto chooses HTML or Markdown if it finds such a table, else CSV. */
  format?: 'auto' | 'csv' | 'tsv' | 'markdown' | 'html';
  /** Field delimiter of CSV. Default: a tab with format tsv, else the one of comma, tab, semicolon and pipe by which the first records have the same number of fields. */
  delimiter?: string | null;
  /** Quote character around CSV fields that contain delimiters or line breaks; doubled within them. null means none. */
  quote?: string | null;
  /** Number of header rows. Default: one in CSV and Markdown; in HTML those of thead, or the first rows with only th. */
  header_rows?: number | null;
  /** Whether chunks that begin after the header have it as context. */
  carry?: 'header' | 'none';
  /** Whether chunk_size limits the context and the text together. */
  count_context?: boolean;
  /** How to treat a row above chunk_size: split it between its cells, then as text, or keep it whole. */
  oversize?: 'split' | 'keep';
  /** Unit of start_index and end_index: code points (Python), UTF-16 units (JavaScript, Java) or bytes of UTF-8 (Go, Rust). */
  offset_unit?: 'code_point' | 'utf16' | 'byte';
}

export type TableChunkerChunk = Chunk & {
  /** What a reader needs to know before the text and is not part of it: the beginning of the element in whose middle the chunk begins. */
  context?: string;
  /** True if the context was too large, and some or all of it was left out. */
  context_shortened?: boolean;
  /**
   * The first and the last table row in the chunk, counted from 1 without the header.
   * @maxItems 2
   * @minItems 2
   */
  rows?: number[];
};

export interface TokenChunkerOptions {
  /** Tokenizer that defines a token: byte, character, row, gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, o200k_harmony, gpt-4, gpt-4o, gpt-5, 20 more names of the same kind, word, the name of an installed tokenizer from the hub. */
  tokenizer?: string;
  /** Maximum tokens per chunk. */
  chunk_size?: number;
  /** Tokens that a chunk repeats from the end of the previous one. Less than chunk_size. */
  chunk_overlap?: number;
  /** Unit of start_index and end_index: code points (Python), UTF-16 units (JavaScript, Java) or bytes of UTF-8 (Go, Rust). */
  offset_unit?: 'code_point' | 'utf16' | 'byte';
}

export interface XmlChunkerOptions {
  /** Tokenizer that defines a token: byte, character, row, gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, o200k_harmony, gpt-4, gpt-4o, gpt-5, 20 more names of the same kind, word, the name of an installed tokenizer from the hub. */
  tokenizer?: string;
  /** Maximum tokens per chunk. */
  chunk_size?: number;
  /** A chunk of fewer tokens joins a neighbour, as far as chunk_size allows it. Below 1: a fraction of chunk_size; from 1 up: a number of tokens. */
  min_chunk_size?: number;
  /** Content of context: headings is the path of the headings above the chunk. */
  carry?: 'headings'[];
  /** Whether chunk_size limits the context and the text together. */
  count_context?: boolean;
  /** Unit of start_index and end_index: code points (Python), UTF-16 units (JavaScript, Java) or bytes of UTF-8 (Go, Rust). */
  offset_unit?: 'code_point' | 'utf16' | 'byte';
}

export type XmlChunkerChunk = Chunk & {
  /** XPath of the smallest element that contains the chunk, with prefixes as written; null if it is longer than 256 characters or 64 levels. */
  xpath?: string | null;
  /**
   * The first and the last child of that element in the chunk, counted from 1, whatever their names. Missing if the chunk is a whole element, or begins or ends in its text.
   * @maxItems 2
   * @minItems 2
   */
  elements?: number[];
  /** The headings that apply to the whole chunk, the highest first, as plain text of at most 200 characters each. */
  heading_path?: string[];
  /** What a reader needs to know before the text and is not part of it: the beginning of the element in whose middle the chunk begins. */
  context?: string;
  /** True if the context was too large, and some or all of it was left out. */
  context_shortened?: boolean;
};

export interface GivenChunk {
  /** A stretch of the text, unchanged. */
  text: string;
  /**
   * Where the chunk begins in the text, in the request's unit.
   * @min 0
   */
  start_index: number;
  /**
   * Where the chunk ends in the text.
   * @min 0
   */
  end_index: number;
  /**
   * Tokens of the chunk, counted by the request's tokenizer.
   * @min 0
   */
  token_count: number;
}

export interface ChunksInput {
  /** Chunks as a chunker returns them; further fields are returned unchanged. */
  chunks: GivenChunk[] | GivenChunk[][];
}

export interface ContextRefineryOptions {
  /** Template of the context, with the values {title}, {filename}, {id}, {heading_path}, {scope}, {names} and {words} of code, {metadata}, {metadata.<name>}, {previous:<characters>}, {next:<characters>} and {context}, the existing one; {title|filename} is the first that is not empty. A line with values is left out if all are empty, or if it is equal to the line before; {{ and }} are literal braces. */
  template?: string;
  /** Separator between the headings of heading_path, and between the units of scope. */
  separator?: string;
  /** Maximum characters of a context; the rest is cut off. */
  max_length?: number;
}

/** Lines of JSON: first the options, `{}` for none, then lists of chunks, or objects with `chunks` and `id`, as in the answers of chunkers. Each answer is sent as soon as it is ready, so read while you send: the server stops reading until its answers are read. */
export type ChunksStream = string;

export type ContextRefineryChunk = GivenChunk & {
  /** The rendered template; null if all its values are empty. */
  context?: string | null;
};

export interface EmbeddingsRefineryOptions {
  /** What to do with a text that is longer than the model's window: embed it in parts and average their vectors, cut it, or refuse the request. A hosted model always refuses. x-embedding-cut counts such texts. */
  long_texts?: 'average' | 'cut' | 'refuse';
  /** A built-in model, an installed local one, or one of a hosted provider. */
  embedding_model?: string;
  /** What to embed: the text alone, or its context, a line feed and the text. For a chunk without context it is always the text. */
  embed?: 'text' | 'context+text';
}

export type EmbeddingsRefineryChunk = GivenChunk & {
  /** The vector of the embedded text. */
  embedding?: number[];
};

export interface OverlapRefineryOptions {
  /** Tokenizer that defines a token: byte, character, row, gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, o200k_harmony, gpt-4, gpt-4o, gpt-5, 20 more names of the same kind, word, the name of an installed tokenizer from the hub. */
  tokenizer?: string;
  /** How much context a neighbour gives. Below 1: a fraction of its tokens (rounded, at least one); from 1 up: a number of tokens. */
  context_size?: number;
  /** Whether to cut context at exactly that many tokens, or at the largest boundary within them: paragraph, line, sentence, word. */
  mode?: 'token' | 'recursive';
  /** Where context comes from: the start of the next chunk (suffix), the end of the previous one (prefix), or both (justified). */
  method?: 'suffix' | 'prefix' | 'justified';
  /** Whether to merge context into text and recount token_count. It is in context either way. */
  merge?: boolean;
}

export type OverlapRefineryChunk = GivenChunk & {
  /** The chunk's existing context, followed by the context from its neighbours; null if there is neither. */
  context?: string | null;
};

export interface ParentsRefineryOptions {
  /** Tokenizer that defines a token: byte, character, row, gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, o200k_harmony, gpt-4, gpt-4o, gpt-5, 20 more names of the same kind, word, the name of an installed tokenizer from the hub. */
  tokenizer?: string;
  /** What to group into a parent: neighbouring chunks under the same headings, on the same page, or as many as fit; never more than parent_size. */
  by?: 'section' | 'page' | 'size';
  /** How many headings of heading_path, from the first, the chunks of a section share. */
  level?: number;
  /** Maximum tokens per parent. A chunk that has more by itself is a parent of its own. */
  parent_size?: number;
}

export type ParentsRefineryChunk = GivenChunk & {
  /**
   * The same for all chunks of a parent, and each time the same document is refined.
   * @format uuid
   */
  parent_id?: string;
  /** Where the first chunk of the parent begins. */
  parent_start_index?: number;
  /** Where the last chunk of the parent ends. */
  parent_end_index?: number;
  /** The text of the parent; only the first chunk of each parent has it. */
  parent_text?: string;
};

export interface SummaryRefineryOptions {
  /** Tokenizer that defines a token: byte, character, row, gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, o200k_harmony, gpt-4, gpt-4o, gpt-5, 20 more names of the same kind, word, the name of an installed tokenizer from the hub. */
  tokenizer?: string;
  /** The instruction to the model, between the document and the chunk. */
  instruction?: string;
  /** Maximum tokens of an answer, as the model counts them; its reasoning counts too. */
  max_tokens?: number;
  /** Maximum tokens of the document sent in a call, by the request's tokenizer; for a longer document, a window around the chunk is sent. */
  max_document_tokens?: number;
  /** Maximum concurrent calls for this request. */
  concurrency?: number;
  /** Seconds after which the call for a chunk is given up, including its retries. */
  call_timeout?: number;
}

export type SummaryRefineryChunk = GivenChunk & {
  /** The model's answer, followed by the existing context; null if the call failed. */
  context?: string | null;
};

export type PipelineChunk = Chunk & {
  /**
   * Derived from steps, text and position: a second run gives the same id.
   * @format uuid
   */
  id: string;
  /** Overlap with the neighbours; null if there is none. */
  context: string | null;
  /** Null if no step computed one. */
  embedding: number[] | null;
};

export interface PresetOptions {
  /** Changes to the steps of the preset, by the names of their plugins: `{"auto": {"chunk_size": 400}, "embeddings": null}`. Options are replaced, options within an object such as `code` one by one; null removes an option, or a step after the chunker. */
  override?: Record<string, object | null>;
  /** Unit of start_index and end_index: code points (Python), UTF-16 units (JavaScript, Java) or bytes of UTF-8 (Go, Rust). */
  offset_unit?: 'code_point' | 'utf16' | 'byte';
}

export interface FileDocument {
  /** Your id of the document; the ids of its chunks are derived from it. An integer and the string of its digits are the same id. */
  id?: string | number;
  /** Title of the document, for plugins that use it. */
  title?: string;
  /** Any JSON; each chunk gets an exact copy of its bytes, so no number changes. */
  metadata?: object;
}

export interface FileInput {
  /** The file, with its name and media type. */
  file: File | Blob;
  /** Name of the file, optionally with folders, instead of the one in the form. */
  filename?: string;
  /** The reader of the file; by default, its name and media type decide. */
  reader?: string;
  /** Options of the reader, as `GET /v1/plugins` lists them, as JSON: `{"content": "main"}` for the main content of a web page. */
  reader_options?: object;
  document?: FileDocument;
}

export interface Answer {
  /** The document with the answer: its index in documents, from 0, or its id. */
  document: number | string;
  /**
   * Where the answer begins in its text.
   * @min 0
   */
  start_index: number;
  /**
   * Where it ends.
   * @min 0
   */
  end_index: number;
}

export interface Question {
  /**
   * The search query.
   * @minLength 1
   */
  question: string;
  /** All passages that answer it, at least one. */
  answers: Answer[];
}

export interface PipelineStepInput {
  /** Kind of the step. */
  type: 'chunk' | 'refine';
  /** Name of the chunker of a chunk step. */
  chunker?: string | null;
  /** Name of the refinery of a refine step. */
  refinery?: string | null;
  /** Parameters of the step: those of the plugin's own endpoint, except text and chunks. */
  config?: Record<string, unknown>;
}

export interface Candidate {
  /**
   * Name of the candidate in the answer.
   * @minLength 1
   * @maxLength 255
   */
  name?: string;
  /**
   * Name of a chunker.
   * @minLength 1
   * @maxLength 255
   */
  chunker?: string;
  /** Parameters of the chunker: those of its own endpoint, except the text. */
  config?: Record<string, unknown>;
  /**
   * Id or name of a stored pipeline.
   * @minLength 1
   * @maxLength 255
   */
  pipeline?: string;
  /** Steps of a pipeline that is not stored. */
  steps?: PipelineStepInput[];
  /** Name of a preset, instead of steps: prose, docs, code, reports. */
  preset?: string;
  /** Changes to the steps of the preset, by the names of their plugins: `{"auto": {"chunk_size": 400}, "embeddings": null}`. Options are replaced, options within an object such as `code` one by one; null removes an option, or a step after the chunker. */
  override?: Record<string, object | null>;
  /** Instead of the `retriever` of the request. */
  retriever?: 'dense' | 'bm25' | 'hybrid';
}

export interface EvaluateRequest {
  /** The documents to search. */
  documents: Document[];
  /** The search queries, with their answers. */
  questions: Question[];
  /** The candidates to compare, 1 to 16: each is a chunker with its config, a stored pipeline, a preset, or steps. */
  candidates: Candidate[];
  /** What finds chunks: the cosine of vectors, BM25 over words, or both by the reciprocal ranks of their lists. */
  retriever?: 'dense' | 'bm25' | 'hybrid';
  /** How many chunks to find for each question, unless there is a `budget`. */
  k?: number;
  /**
   * Tokens to find for each question, instead of `k`: the best 100 chunks, except for those that no longer fit.
   * @min 1
   * @max 100000
   */
  budget?: number;
  /** Seeds the resamples that intervals are computed from: the same request has the same answer. */
  seed?: number;
  /**
   * What tokens are counted with: by default the tokenizer of each candidate, or with a `budget` the same one for all.
   * @minLength 1
   * @maxLength 200
   */
  tokenizer?: string;
  /** A model of GET /v1/models, or any other model of its providers. */
  embedding_model?: string;
  /** What to do with a text that is longer than the model's window: embed it in parts and average their vectors, cut it, or refuse the request. A hosted model always refuses. x-embedding-cut counts such texts. */
  long_texts?: 'average' | 'cut' | 'refuse';
  /** Which text of a chunk is searched: its text alone, or its context, a line feed and its text. */
  embed?: 'text' | 'context+text';
  /** Unit of all offsets of the request and its answer; the unit of candidates is ignored. */
  offset_unit?: 'code_point' | 'utf16' | 'byte';
}

export interface FoundChunk {
  /** The index of its document in the request. */
  document: number;
  start_index: number;
  end_index: number;
  token_count: number;
  /** The cosine between its vector and the question's, its BM25, or the sum of its reciprocal ranks. */
  score: number;
}

export interface EvaluatedQuestion {
  /** The share of the answers' characters that were found. */
  recall: number;
  /** The share of found characters that belong to the answers. */
  precision: number;
  /** The answers' characters that were found, divided by all characters that are in the answers or were found. */
  iou: number;
  /** The precision if exactly the chunks that overlap the answers were found. */
  precision_at_full_recall: number;
  /** Tokens of the chunks that were found. */
  tokens: number;
  /** Best first; equally good ones in the order of the text. */
  found: FoundChunk[];
}

/** The means over all questions, scores from 0 to 1, and what each question found; or the `error` of this candidate only. */
export interface EvaluatedCandidate {
  /** The index of the candidate in the request. */
  index: number;
  /** The name from the request, else those of its plugins, with the settings that tell it from others of that name. */
  name: string;
  /** The index of an earlier candidate that does the same. */
  same_as?: number;
  /** What found the chunks. */
  retriever?: 'dense' | 'bm25' | 'hybrid';
  /** The share of the answers' characters that were found. */
  recall?: number;
  /** The share of found characters that belong to the answers. */
  precision?: number;
  /** The answers' characters that were found, divided by all characters that are in the answers or were found. */
  iou?: number;
  /** The precision if exactly the chunks that overlap the answers were found. */
  precision_at_full_recall?: number;
  /** Mean tokens of the chunks that a question finds, counted by `tokenizer` or else the candidate's own. */
  tokens_per_question?: number;
  /** Number of chunks of the documents. */
  chunks?: number;
  /** The 95 % intervals of three of the means. */
  interval?: {
    /**
     * @maxItems 2
     * @minItems 2
     */
    recall: number[];
    /**
     * @maxItems 2
     * @minItems 2
     */
    precision: number[];
    /**
     * @maxItems 2
     * @minItems 2
     */
    iou: number[];
  };
  /** In the order of the request. */
  questions?: EvaluatedQuestion[];
  error?: {
    /** The status that a request with only this input would have. */
    status: number;
    /** What is wrong and what to change. */
    detail: string;
  };
}

export interface EvaluatedDifference {
  candidate: number;
  /** Its recall less that of the best candidate. */
  difference: number;
  /**
   * The 95 % interval of the difference.
   * @maxItems 2
   * @minItems 2
   */
  interval: number[];
  /** Whether the interval excludes 0, and at least six questions differ. */
  decided: boolean;
}

export interface EvaluationVerdict {
  /** The score that is compared. */
  score: 'recall';
  questions: number;
  /** The candidate with the highest recall. */
  best: number;
  /** The same, if it is better than each other candidate beyond doubt. */
  winner: number | null;
  /** How many more questions would decide it; null if it is decided, or no realistic number would. */
  more_questions: number | null;
  /** All others compared with the best one. */
  differences: EvaluatedDifference[];
  /** The same in words. */
  summary: string;
}

export interface Evaluation {
  /** The model's own name; null if only words were searched. */
  embedding_model: string | null;
  /** Missing if there was a `budget`. */
  k?: number;
  /** The tokens of the request. */
  budget?: number;
  /** What tokens were counted with, if not the tokenizer of each candidate. */
  tokenizer?: string;
  /** In the order of the request. */
  candidates: EvaluatedCandidate[];
  /** What the recall of the candidates says, without those that failed or do the same as others; null if all failed. */
  verdict: EvaluationVerdict | null;
}

export interface EvaluationVerdictLine {
  /** What the recall of the candidates says, without those that failed or do the same as others; null if all failed. */
  verdict: EvaluationVerdict | null;
}

/** An `EvaluatedCandidate` for each candidate, sent as soon as it is ready, and at last a line with the `verdict`. */
export type EvaluationLines = string;

export interface EmbedRequest {
  /** A text, or a list of texts. */
  text: string | string[];
  /** A model of GET /v1/models, or any other model of its providers. */
  embedding_model?: string;
  /** Purpose of the vectors: texts to be searched, a query, or texts to be compared with each other. Models that do not distinguish these ignore it. */
  purpose?: 'document' | 'query' | 'similarity';
  /** What to do with a text that is longer than the model's window: embed it in parts and average their vectors, cut it, or refuse the request. A hosted model always refuses. x-embedding-cut counts such texts. */
  long_texts?: 'average' | 'cut' | 'refuse';
  /** How vectors are written: as lists of numbers, or as base64 of little-endian 32-bit floats, which is exact and a third of the size. */
  encoding?: 'float' | 'base64';
}

export interface Embeddings {
  /** The model's own name, even if the request used an alias. */
  model: string;
  /**
   * Length of a vector.
   * @min 0
   */
  dimensions: number;
  /** The vectors in the order of the texts: lists of numbers, or base64. */
  embeddings: (number[] | string)[];
}

export interface TokenizeRequest {
  /** A text, or a list of texts. */
  text: string | string[];
  /** Tokenizer that defines a token: byte, character, row, gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, o200k_harmony, gpt-4, gpt-4o, gpt-5, 20 more names of the same kind, word, the name of an installed tokenizer from the hub. */
  tokenizer?: string;
  /** What to return besides the counts: where each token begins and ends, its id, its text. Only tokenizers of models have ids. */
  include?: ('offsets' | 'ids' | 'tokens')[];
  /** Unit of the offsets. */
  offset_unit?: 'code_point' | 'utf16' | 'byte';
}

export interface Tokens {
  /**
   * How many tokens the text has.
   * @min 0
   */
  count: number;
  /** Start and end of each token. A token that ends within a character is extended to its end, and the remaining tokens of that character are empty. */
  offsets?: number[][];
  /** The id of each token, without the special tokens of a model. */
  ids?: number[];
  /** The text of each token, by its offsets; joined, they are the text. */
  tokens?: string[];
}

export interface TokenizedTexts {
  /** The tokenizer that counted. */
  tokenizer: string;
  /** One for each text, in their order. */
  results: Tokens[];
}

export interface PipelineStep {
  /** Kind of the step. */
  type: 'chunk' | 'refine';
  /** Name of the chunker of a chunk step. */
  chunker: string | null;
  /** Name of the refinery of a refine step. */
  refinery: string | null;
  /** Parameters of the step: those of the plugin's own endpoint, except text and chunks. */
  config: Record<string, unknown>;
}

export interface Preset {
  name: string;
  /**
   * Changes with the steps, as then the ids and vectors of chunks do.
   * @min 0
   */
  version: number;
  summary: string;
  steps: PipelineStep[];
  /** What it lacks here, with the remedy; it can run if nothing. */
  missing: string[];
}

export type PipelineInput = {
  /**
   * Unique among all pipelines.
   * @minLength 1
   * @maxLength 255
   */
  name: string;
  /** What the pipeline is for, or null. */
  description?: string | null;
  /**
   * At most 100, run in this order.
   * @maxItems 100
   */
  steps?: PipelineStepInput[];
  /** Name of a preset, instead of steps: prose, docs, code, reports. */
  preset?: string;
  /** Changes to the steps of the preset, by the names of their plugins: `{"auto": {"chunk_size": 400}, "embeddings": null}`. Options are replaced, options within an object such as `code` one by one; null removes an option, or a step after the chunker. */
  override?: Record<string, object | null>;
  /** Whether a step may name a plugin, a recipe, a tokenizer, a language or a model that is not here but will be later. Until then the pipeline cannot be executed. */
  allow_missing?: boolean;
};

export interface Pipeline {
  /** @format uuid */
  id: string;
  /**
   * Unique among all pipelines.
   * @minLength 1
   * @maxLength 255
   */
  name: string;
  /** What the pipeline is for, or null. */
  description: string | null;
  config: {
    steps: PipelineStep[];
  };
  /** UTC without a zone, with microseconds. */
  created_at: string;
  /** UTC without a zone, with microseconds. */
  updated_at: string;
}

export type NamedPipeline = {
  /**
   * Unique among all pipelines.
   * @minLength 1
   * @maxLength 255
   */
  name?: string;
  /** What the pipeline is for, or null. */
  description?: string | null;
  /**
   * At most 100, run in this order.
   * @maxItems 100
   */
  steps?: PipelineStepInput[];
  /** Name of a preset, instead of steps: prose, docs, code, reports. */
  preset?: string;
  /** Changes to the steps of the preset, by the names of their plugins: `{"auto": {"chunk_size": 400}, "embeddings": null}`. Options are replaced, options within an object such as `code` one by one; null removes an option, or a step after the chunker. */
  override?: Record<string, object | null>;
  /** Whether a step may name a plugin, a recipe, a tokenizer, a language or a model that is not here but will be later. Until then the pipeline cannot be executed. */
  allow_missing?: boolean;
};

export interface PipelineChanges {
  /**
   * Unique among all pipelines.
   * @minLength 1
   * @maxLength 255
   */
  name?: string;
  /** What the pipeline is for, or null. */
  description?: string | null;
  /**
   * At most 100, run in this order.
   * @maxItems 100
   */
  steps?: PipelineStepInput[];
  /** Name of a preset, instead of steps: prose, docs, code, reports. */
  preset?: string;
  /** Changes to the steps of the preset, by the names of their plugins: `{"auto": {"chunk_size": 400}, "embeddings": null}`. Options are replaced, options within an object such as `code` one by one; null removes an option, or a step after the chunker. */
  override?: Record<string, object | null>;
  /** Whether a step may name a plugin, a recipe, a tokenizer, a language or a model that is not here but will be later. Until then the pipeline cannot be executed. */
  allow_missing?: boolean;
}

/** Maps members of a line, or columns of a table, to parts of a document. */
export interface FieldMapping {
  /**
   * @minLength 1
   * @maxLength 1000
   */
  id?: string;
  /**
   * By default `text`.
   * @minLength 1
   * @maxLength 1000
   */
  text?: string;
  /**
   * @minLength 1
   * @maxLength 1000
   */
  title?: string;
  /**
   * @minLength 1
   * @maxLength 1000
   */
  filename?: string;
  /** Those that become the metadata; `*` means all without another use. */
  metadata?: string[];
}

/** A `path`, or `documents` in the request. */
export interface JobSource {
  /**
   * A file or folder inside the server's root, `kb/articles` (`.` is all of it), or in a bucket of one of its connections, `s3://<connection>/kb/articles`.
   * @minLength 1
   * @maxLength 4096
   */
  path?: string;
  /** Each file is a document, or each line of JSON Lines, or each row of CSV or Parquet. auto decides by file name, and never chooses CSV. */
  format?: 'auto' | 'files' | 'jsonl' | 'csv' | 'parquet';
  /** Maps members of a line, or columns of a table, to parts of a document. */
  fields?: FieldMapping;
  /**
   * Documents in the format of the chunker routes.
   * @minItems 1
   */
  documents?: Document[];
}

export interface JobTarget {
  /**
   * The folder of the output, not shared with another job: inside the root, or in a bucket. By default `chunksmith-jobs/<id>` inside the root.
   * @minLength 1
   * @maxLength 4096
   */
  path?: string;
  /** The format of the part files: lines of JSON, or Parquet with the columns `id`, `document_id`, `text`, `start_index`, `end_index`, `token_count`, `metadata`, `embedding` and `fields`, which holds everything else as JSON. */
  format?: 'jsonl' | 'parquet';
  /** Stores the chunks in a sink instead of part files: its name, and its options. */
  sink?: {
    /** Name of the sink. */
    name: string;
    [key: string]: unknown;
  };
}

export interface JobInput {
  /** A `path`, or `documents` in the request. */
  source: JobSource;
  /**
   * Name or id of a stored pipeline, used as it is now; instead of `steps`.
   * @minLength 1
   * @maxLength 255
   */
  pipeline?: string;
  /**
   * At most 100, run in this order.
   * @maxItems 100
   */
  steps?: PipelineStepInput[];
  /** Name of a preset, instead of steps: prose, docs, code, reports. */
  preset?: string;
  /** Changes to the steps of the preset, by the names of their plugins: `{"auto": {"chunk_size": 400}, "embeddings": null}`. Options are replaced, options within an object such as `code` one by one; null removes an option, or a step after the chunker. */
  override?: Record<string, object | null>;
  /** Further fields of the chunks: lines adds first_line and last_line, pages first_page and last_page, places where it comes from, left_out what its file says there besides, neighbours previous_id and next_id. For documents the default is id, document_id, index and metadata. */
  include?: (
    | 'id'
    | 'document_id'
    | 'index'
    | 'hash'
    | 'metadata'
    | 'lines'
    | 'pages'
    | 'places'
    | 'left_out'
    | 'neighbours'
  )[];
  /** Chunk ids differ between namespaces, for example one per collection. */
  namespace?: string;
  /** Whether a line of the output is a chunk, or has all chunks of a document. */
  group?: 'chunk' | 'document';
  target?: JobTarget;
  /** Whether to delete documents from the sink that an earlier job with the same `source` has stored there and this one no longer finds. */
  prune?: boolean;
  /** Maximum failed documents before the job fails; null means any number. */
  max_errors?: number | null;
  /**
   * URL that receives a POST when the job ends.
   * @minLength 1
   * @maxLength 2048
   */
  callback?: string;
}

/** Number of skipped files by reason: no reader for them can run here, they are binary, their names begin with a dot (ignored), or they are unreadable, such as links that lead outside; empty ones are documents that are done and have no text. Reasons that did not occur are missing. The errors of the job list each file. */
export interface SkippedReasons {
  no_reader?: number;
  binary?: number;
  ignored?: number;
  unreadable?: number;
  empty?: number;
}

/** Content of files that readers left out of their texts, such as notes of subtitles, counted by name. */
export type LeftOut = Record<string, number>;

export interface Job {
  /** @format uuid */
  id: string;
  /** It is finished when done, failed or cancelled. */
  state: 'planning' | 'running' | 'finishing' | 'done' | 'failed' | 'cancelled';
  /** Why it failed, or null. */
  error: {
    /** The status that a request with only this input would have. */
    status: number;
    /** What is wrong and what to change. */
    detail: string;
  } | null;
  /** As in the request, without documents. */
  source: object;
  /** Where its output goes. */
  target: object;
  group: 'chunk' | 'document';
  shards: {
    total: number;
    done: number;
    failed: number;
  };
  /** For finished shards; skipped counts files that were not read. */
  documents: {
    done: number;
    failed: number;
    skipped: number;
  };
  /** Number of skipped files by reason: no reader for them can run here, they are binary, their names begin with a dot (ignored), or they are unreadable, such as links that lead outside; empty ones are documents that are done and have no text. Reasons that did not occur are missing. The errors of the job list each file. */
  skipped_reasons: SkippedReasons;
  /** Content of files that readers left out of their texts, such as notes of subtitles, counted by name. */
  left_out: LeftOut;
  chunks: number;
  /** Number of chunks with more tokens than chunk_size. */
  chunks_oversize: number;
  /** Number of texts with no word that the model knows: their vectors mean nothing. */
  embedding_empty: number;
  /** Number of texts in languages unknown to the model: their vectors are lexical. */
  embedding_fallback: number;
  /** Number of texts that are longer than the window of the model. */
  embedding_cut: number;
  /** Documents that prune deleted from the sink. */
  pruned: number;
  /** Documents that may no longer exist but were not deleted, because they could be among the failed ones whose ids cannot be read. */
  unpruned: number;
  bytes: {
    read: number;
    total: number;
  };
  bytes_per_second: number;
  /** Null until it can be estimated, and when the job has finished. */
  seconds_left: number | null;
  /** @format date-time */
  created_at: string;
  finished_at: string | null;
  /**
   * When the job and its output are removed.
   * @format date-time
   */
  expires_at: string;
}

export interface Shard {
  /** Its position in the source; part files have the same number. */
  seq: number;
  state: 'ready' | 'running' | 'done' | 'failed' | 'cancelled';
  /** How often it was started. */
  attempt: number;
  /** How often it failed, or lost its worker. */
  failures: number;
  worker: string | null;
  source: {
    format: 'files' | 'jsonl' | 'csv' | 'parquet';
    /** The first of its files. */
    file: string;
    files: number;
    /** The byte range in which its lines or row groups begin; null for whole files. */
    part: {
      from: number;
      to: number;
    } | null;
    bytes: number;
  };
  /** Null until it is done; files that cannot be read as text are skipped. */
  documents: {
    done: number;
    failed: number;
    skipped: number;
  } | null;
  /** Null until it is done. */
  chunks: number | null;
  /** Why it failed, or null. */
  error: {
    /** The status that a request with only this input would have. */
    status: number;
    /** What is wrong and what to change. */
    detail: string;
  } | null;
}

/** A `Job` at once, and whenever it has changed. */
export type JobLines = string;

export interface WrittenFile {
  name: string;
  bytes: number;
  sha256: string;
}

export interface JobManifest {
  shards: {
    seq: number;
    documents: number;
    failed: number;
    skipped: number;
    chunks: number;
    /** The chunks, the failed documents, and the chunk ids of each document. */
    files: {
      part?: WrittenFile;
      errors?: WrittenFile;
      ids?: WrittenFile;
    };
  }[];
  counts: {
    documents: number;
    failed: number;
    skipped: number;
    chunks: number;
    /** Number of skipped files by reason: no reader for them can run here, they are binary, their names begin with a dot (ignored), or they are unreadable, such as links that lead outside; empty ones are documents that are done and have no text. Reasons that did not occur are missing. The errors of the job list each file. */
    skipped_reasons: SkippedReasons;
    /** Content of files that readers left out of their texts, such as notes of subtitles, counted by name. */
    left_out: LeftOut;
    pruned?: number;
    unpruned?: number;
  };
}

export interface ChunkerOptions {
  auto: AutoChunkerOptions;
  code: CodeChunkerOptions;
  html: HtmlChunkerOptions;
  json: JsonChunkerOptions;
  markdown: MarkdownChunkerOptions;
  markup: MarkupChunkerOptions;
  recursive: RecursiveChunkerOptions;
  semantic: SemanticChunkerOptions;
  sentence: SentenceChunkerOptions;
  table: TableChunkerOptions;
  token: TokenChunkerOptions;
  xml: XmlChunkerOptions;
}

export interface ChunkerChunks {
  auto: AutoChunkerChunk;
  code: CodeChunkerChunk;
  html: HtmlChunkerChunk;
  json: JsonChunkerChunk;
  markdown: MarkdownChunkerChunk;
  markup: MarkupChunkerChunk;
  recursive: RecursiveChunkerChunk;
  semantic: Chunk;
  sentence: Chunk;
  table: TableChunkerChunk;
  token: Chunk;
  xml: XmlChunkerChunk;
}

export interface RefineryOptions {
  context: ContextRefineryOptions;
  embeddings: EmbeddingsRefineryOptions;
  overlap: OverlapRefineryOptions;
  parents: ParentsRefineryOptions;
  summary: SummaryRefineryOptions;
}

export interface RefineryChunks {
  context: ContextRefineryChunk;
  embeddings: EmbeddingsRefineryChunk;
  overlap: OverlapRefineryChunk;
  parents: ParentsRefineryChunk;
  summary: SummaryRefineryChunk;
}
