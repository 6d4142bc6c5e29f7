/**
 * For each UTF-16 unit of a stage's joined outputs, the end of its source text in the input. Ends ascend.
 * Units that the stage added before the input have the end 0.
 */
export type Alignment = ArrayLike<number>;

/** Aligns outputs that are substrings of `input`. The first `prefix` units of `input` have no source. */
export function alignSubstrings(input: string, outputs: readonly string[], prefix = 0): Alignment {
  const ends: number[] = [];
  let position = 0;
  for (const output of outputs) {
    const index = input.indexOf(output, position);
    if (index !== -1) position = index;
    for (let unit = 0; unit < output.length; unit++) {
      if (position < input.length) position++;
      ends.push(Math.max(0, position - prefix));
    }
  }
  return ends;
}

/** Aligns an output that begins with `prefix` additional units, and has `width` units for each match. */
export function alignReplaced(
  input: string,
  output: string,
  prefix: number,
  matches: Iterable<{ readonly 0: string; readonly index: number }>,
  width: number,
): Alignment {
  const ends = new Uint32Array(output.length);
  let written = prefix;
  let position = 0;
  const copyTo = (end: number): void => {
    while (position < end) ends[written++] = ++position;
  };
  for (const match of matches) {
    copyTo(match.index);
    position += match[0].length;
    ends.fill(position, written, written + width);
    written += width;
  }
  copyTo(input.length);
  return ends.fill(input.length, Math.min(written, output.length));
}

/** Aligns an output that has one unit per UTF-8 byte of the input. */
export function alignBytes(input: string): Alignment {
  const ends: number[] = [];
  let end = 0;
  for (const point of input) {
    end += point.length;
    for (let byte = Buffer.byteLength(point); byte > 0; byte--) ends.push(end);
  }
  return ends;
}

const MARK = '\\p{M}\\uff9e\\uff9f';
const LEAD = '[\\u1100-\\u115f\\ua960-\\ua97c\\u3131-\\u314e\\uffa1-\\uffbe]';
const VOWEL = '[\\u1160-\\u11a7\\ud7b0-\\ud7c6\\u314f-\\u3163\\uffc2-\\uffdc]';
const TAIL = '[\\u11a8-\\u11ff\\ud7cb-\\ud7fb]';

/** Matches stretches that are normalised separately: ASCII, a Korean syllable, a character with its marks. */
const CLUSTER = new RegExp(
  `[ -~]+(?![${MARK}])|(?:${LEAD}${VOWEL}?|[\\uac00-\\ud7a3])${TAIL}?[${MARK}]*|[^${MARK}][${MARK}]*|[${MARK}]+`,
  'gu',
);

/** Maximum clusters that are normalised together if a cluster alone does not produce the output. */
const MAX_JOINED = 4;

export function alignClusters(input: string, output: string, normalize: (text: string) => string): Alignment {
  const ends = new Uint32Array(output.length);
  const clusters = Array.from(input.matchAll(CLUSTER), (match) => match[0]);
  let start = 0;
  let written = 0;
  for (let index = 0; index < clusters.length; index++) {
    const { length, width, count } = readCluster(clusters, index, output, written, normalize);
    const end = start + length;
    for (let unit = 0; unit < width; unit++) ends[written++] = width === length ? start + unit + 1 : end;
    start = end;
    index += count - 1;
  }
  return ends.fill(input.length, Math.min(written, output.length));
}

function readCluster(
  clusters: readonly string[],
  index: number,
  output: string,
  written: number,
  normalize: (text: string) => string,
): { length: number; width: number; count: number } {
  const cluster = clusters[index] as string;
  const single = { length: cluster.length, width: cluster.length, count: 1 };
  if (isPrintable(cluster)) return single;
  const normalized = normalize(cluster);
  if (output.startsWith(normalized, written)) return { ...single, width: normalized.length };
  let joined = cluster;
  for (let count = 2; count <= MAX_JOINED && index + count <= clusters.length; count++) {
    joined += clusters[index + count - 1];
    const width = normalize(joined).length;
    if (output.startsWith(normalize(joined), written)) return { length: joined.length, width, count };
  }
  return { ...single, width: normalized.length };
}

function isPrintable(cluster: string): boolean {
  const first = cluster.charCodeAt(0);
  return (
    first >= 0x20 && first <= 0x7e && (cluster.length === 1 || cluster.charCodeAt(cluster.length - 1) <= 0x7e)
  );
}
