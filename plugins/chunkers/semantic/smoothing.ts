export interface Smoothing {
  /** Number of points in the window; odd. */
  readonly window: number;
  /** Order of the polynomials; below `window`. */
  readonly order: number;
  /** The curve counts as level where its slope is at most this value. */
  readonly tolerance: number;
}

type Derivative = 0 | 1 | 2;

/**
 * Computes weights for the values of a window. The weighted sum is the fitted polynomial's value in the middle of the
 * window, or the first or second derivative there. The recurrence of orthogonal polynomials is accurate for all orders
 * that requests allow.
 */
export function savitzkyGolayWeights(window: number, order: number, derivative: Derivative): Float64Array {
  const half = (window - 1) / 2;
  const points = Float64Array.from({ length: window }, (_, index) => (index - half) / half);
  const weights = new Float64Array(window);
  let before = { values: new Float64Array(window), middle: [0, 0, 0], square: 1 };
  let here = { values: new Float64Array(window).fill(1), middle: [1, 0, 0], square: window };
  for (let degree = 0; degree <= order; degree++) {
    const share = (here.middle[derivative] as number) / here.square / half ** derivative;
    for (let index = 0; index < window; index++) {
      weights[index] = (weights[index] as number) + share * (here.values[index] as number);
    }
    const next = nextPolynomial(points, here, before, degree === 0 ? 0 : here.square / before.square);
    before = here;
    here = next;
  }
  return weights;
}

interface Polynomial {
  readonly values: Float64Array;
  /** The polynomial's value in the middle of the window, and its first two derivatives there. */
  readonly middle: number[];
  readonly square: number;
}

function nextPolynomial(points: Float64Array, here: Polynomial, before: Polynomial, factor: number) {
  const values = points.map(
    (point, index) => point * (here.values[index] as number) - factor * (before.values[index] as number),
  );
  const middle = before.middle.map(
    (value, derivative) => derivative * (here.middle[derivative - 1] ?? 0) - factor * value,
  );
  return { values, middle, square: values.reduce((sum, value) => sum + value * value, 0) };
}

function filterWith(curve: Float64Array, weights: Float64Array): Float64Array {
  const last = curve.length - 1;
  const half = (weights.length - 1) / 2;
  return curve.map((_, at) => {
    let sum = 0;
    for (let index = 0; index < weights.length; index++) {
      const point = Math.abs(at + index - half);
      sum += (weights[index] as number) * (curve[point > last ? 2 * last - point : point] as number);
    }
    return sum;
  });
}

export interface Smoothed {
  readonly curve: Float64Array;
  readonly lows: readonly number[];
}

/**
 * Smooths a curve, and finds its lows: points where the smoothed curve is level (within the tolerance) and bends
 * upwards. The lowest of consecutive such points counts. A curve shorter than the window has no lows.
 */
export function smooth(curve: Float64Array, { window, order, tolerance }: Smoothing): Smoothed {
  if (curve.length < window) return { curve, lows: [] };
  const [smoothed, slopes, bends] = ([0, 1, 2] as const).map((derivative) =>
    filterWith(curve, savitzkyGolayWeights(window, order, derivative)),
  ) as [Float64Array, Float64Array, Float64Array];
  const lows: number[] = [];
  let isRow = false;
  for (let at = 0; at < curve.length; at++) {
    const isLow = Math.abs(slopes[at] as number) < tolerance && (bends[at] as number) > MIN_BEND;
    if (isLow && !isRow) lows.push(at);
    else if (isLow && (smoothed[at] as number) < (smoothed[lows.at(-1) as number] as number))
      lows[lows.length - 1] = at;
    isRow = isLow;
  }
  return { curve: smoothed, lows };
}

/** Minimum second derivative of a bend. Smaller values are rounding errors of a straight line. */
const MIN_BEND = 1e-9;
