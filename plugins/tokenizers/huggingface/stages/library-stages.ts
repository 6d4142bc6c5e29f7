import type { StageConfig } from '../tokenizer-file.ts';
import { type Alignment, alignBytes, alignClusters, alignReplaced, alignSubstrings } from './alignment.ts';

export interface Library {
  readonly SequenceNormalizer: new (config: object) => { readonly normalizers: readonly LibraryNormalizer[] };
  readonly SequencePreTokenizer: new (
    config: object,
  ) => { readonly tokenizers: readonly LibraryPreTokenizer[] };
}

interface LibraryNormalizer {
  readonly pattern?: RegExp | null;
  normalize(text: string): string;
}

interface LibraryPreTokenizer {
  readonly pattern?: RegExp | null;
  pre_tokenize_text(text: string, options: { section_index: number }): string[];
}

export interface TextStage {
  readonly type: string;
  /** @param section the number of the section; added tokens cut a text into sections */
  apply(input: string, section: number): readonly string[];
  align(input: string, outputs: readonly string[]): Alignment;
}

export function createNormalizer(library: Library, config: StageConfig): TextStage {
  const [normalizer] = new library.SequenceNormalizer({ normalizers: [config] }).normalizers;
  if (normalizer === undefined) throw new Error(`its normalizer ${config.type} did not load`);
  const normalize = (text: string): string => normalizer.normalize(text);
  return {
    type: config.type,
    apply: (input) => [normalize(input)],
    align: (input, [output = '']) => {
      if (input === output || config.type === 'Strip') return alignSubstrings(input, [output]);
      if (config.type === 'Prepend') return alignReplaced(input, output, output.length - input.length, [], 0);
      if (config.type === 'Replace') return alignPattern(input, output, normalizer.pattern, config.content);
      return alignClusters(input, output, normalize);
    },
  };
}

export function createPreTokenizer(library: Library, config: StageConfig): TextStage {
  const [splitter] = new library.SequencePreTokenizer({ pretokenizers: [config] }).tokenizers;
  if (splitter === undefined) throw new Error(`its pre-tokenizer ${config.type} did not load`);
  return {
    type: config.type,
    apply: (input, section) => splitter.pre_tokenize_text(input, { section_index: section }),
    align: (input, outputs) => {
      const [output = ''] = outputs;
      if (config.type === 'ByteLevel') return alignByteLevel(input, outputs);
      if (config.type === 'Replace') return alignPattern(input, output, splitter.pattern, config.content);
      if (config.type === 'Metaspace') return alignMetaspace(input, output, config);
      return alignSubstrings(input, outputs);
    },
  };
}

/**
 * A ByteLevel pre-tokenizer in the last position. It only cuts, so that words can be cached as they appear in
 * the text. `encodeBytes` then spells the words in bytes.
 */
export function createByteLevelSplitter(library: Library, config: StageConfig): TextStage {
  const [splitter] = new library.SequencePreTokenizer({ pretokenizers: [config] }).tokenizers;
  const pattern = config.use_regex === false ? undefined : splitter?.pattern;
  const prefixFor = (input: string): string =>
    config.add_prefix_space === true && !input.startsWith(' ') ? ' ' : '';
  return {
    type: config.type,
    apply: (input) => {
      const text = prefixFor(input) + input;
      return pattern ? (text.match(pattern) ?? []) : [text];
    },
    align: (input, outputs) => {
      const prefix = prefixFor(input);
      return alignSubstrings(prefix + input, outputs, prefix.length);
    },
  };
}

export function encodeBytes(text: string): string {
  let encoded = '';
  for (const byte of Buffer.from(text)) encoded += BYTE_CHARACTERS[byte];
  return encoded;
}

/** Characters that represent bytes: the byte's own character if printable, otherwise one from U+0100 on. */
const BYTE_CHARACTERS: readonly string[] = (() => {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCharCode((byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad) ? byte : next++),
  );
})();

function alignByteLevel(input: string, outputs: readonly string[]): Alignment {
  const ends = Array.from(alignBytes(input));
  const units = outputs.reduce((total, output) => total + output.length, 0);
  return units > ends.length ? [...new Array<number>(units - ends.length).fill(0), ...ends] : ends;
}

function alignMetaspace(input: string, output: string, config: StageConfig): Alignment {
  const replacement = String(config.str_rep || (config.replacement ?? '▁'));
  const prefix = output.length - input.replaceAll(' ', replacement).length;
  return alignReplaced(input, output, prefix, input.matchAll(/ /g), replacement.length);
}

/** Assumes that the replacement is literal, without references to the match. */
function alignPattern(
  input: string,
  output: string,
  pattern: RegExp | null | undefined,
  content: unknown,
): Alignment {
  const matches = pattern ? input.matchAll(pattern) : [];
  return alignReplaced(input, output, 0, matches, String(content ?? '').length);
}

export interface Traced {
  readonly pieces: readonly string[];
  /** Maps an end in the joined pieces to an end in the source. Only the first call aligns the stages. */
  sourceEnd(length: number): number;
}

export function trace(text: string, stages: readonly TextStage[], section: number): Traced {
  const source: Traced = { pieces: [text], sourceEnd: (length) => length };
  return stages.reduce((traced, stage) => pass(traced, stage, section), source);
}

function pass(source: Traced, stage: TextStage, section: number): Traced {
  const outputs = source.pieces.map((piece) => stage.apply(piece, section));
  const pieces = outputs.length === 1 ? (outputs[0] as readonly string[]) : outputs.flat();
  if (source.pieces.length === 1 && pieces.length === 1 && pieces[0] === source.pieces[0]) return source;
  let ends: readonly number[] | undefined;
  return {
    pieces,
    sourceEnd(length) {
      ends ??= endsOf(source, stage, outputs);
      return length === 0 ? 0 : (ends[length - 1] as number);
    },
  };
}

function endsOf(source: Traced, stage: TextStage, outputs: readonly (readonly string[])[]): number[] {
  const ends: number[] = [];
  let offset = 0;
  for (const [index, piece] of source.pieces.entries()) {
    const alignment = stage.align(piece, outputs[index] as readonly string[]);
    for (let unit = 0; unit < alignment.length; unit++)
      ends.push(source.sourceEnd(offset + (alignment[unit] as number)));
    offset += piece.length;
  }
  return ends;
}
