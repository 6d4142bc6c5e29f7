/** Scores of boundaries, as the literature on text segmentation defines them. */

export interface Score {
  /** Harmonic mean of precision and recall of the boundaries; 1 is best. */
  readonly f1: number;
  /** Share of pairs of sentences at a typical distance that are wrongly parted or joined; 0 is best. */
  readonly pk: number;
  /** Boundaries found for each true one. */
  readonly ratio: number;
}

/**
 * Scores the found boundaries of a text against the true ones. A boundary is the sentence that it stands
 * before.
 */
export function scoreBoundaries(
  found: readonly number[],
  truth: readonly number[],
  sentences: number,
): Score {
  const hits = found.filter((place) => truth.includes(place)).length;
  const f1 = (2 * hits) / Math.max(found.length + truth.length, 1);
  return { f1, pk: pk(found, truth, sentences), ratio: found.length / Math.max(truth.length, 1) };
}

/** Beeferman's Pk: the distance is half of the mean length of a true segment. */
function pk(found: readonly number[], truth: readonly number[], sentences: number): number {
  const distance = Math.max(Math.round(sentences / (truth.length + 1) / 2), 1);
  const segmentOf = (boundaries: readonly number[], sentence: number) =>
    boundaries.filter((boundary) => boundary <= sentence).length;
  let wrong = 0;
  const pairs = sentences - distance;
  for (let sentence = 0; sentence < pairs; sentence++) {
    const isJoined = (boundaries: readonly number[]) =>
      segmentOf(boundaries, sentence) === segmentOf(boundaries, sentence + distance);
    if (isJoined(found) !== isJoined(truth)) wrong++;
  }
  return wrong / Math.max(pairs, 1);
}

export function meanScore(scores: readonly Score[]): Score {
  const mean = (key: keyof Score) => scores.reduce((sum, score) => sum + score[key], 0) / scores.length;
  return { f1: mean('f1'), pk: mean('pk'), ratio: mean('ratio') };
}
