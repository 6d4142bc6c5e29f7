/** Texts that have made other splitters quadratic, of about a given length. */
export const SHAPES: Readonly<Record<string, (length: number) => string>> = {
  'one word': (length) => 'x'.repeat(length),
  'words without any other delimiter': (length) => 'abc '.repeat(length / 4),
  'one delimiter': (length) => `${'\n'.repeat(length - 1)}x`,
  'ends of sentences': (length) => '. '.repeat(length / 2),
  'short lines': (length) => 'a\n'.repeat(length / 2),
  'short paragraphs': (length) => 'ab\n\n'.repeat(length / 4),
  'white space': (length) => `${' '.repeat(length - 1)}x`,
  'Chinese without punctuation': (length) => '漢'.repeat(length),
  emoji: (length) => '😀'.repeat(length / 2),
  'headings and fences': (length) => '# a\n```\n'.repeat(length / 8),
};

const REQUESTS = [{}, { chunk_size: 64, chunk_overlap: 63 }, { chunk_size: 3 }];

/** Requests that make many chunks or long overlaps, without options that a chunker does not have. */
export function growthRequests(options: object | undefined): Readonly<Record<string, number>>[] {
  return REQUESTS.map((request) =>
    Object.fromEntries(Object.entries(request).filter(([name]) => name in (options ?? {}))),
  );
}
