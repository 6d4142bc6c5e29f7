/** Parameters of a Savitzky-Golay filter, which fits a polynomial to a window around each point. */
export interface Smoothing {
  /** Points of the window; odd. */
  readonly window: number;
  /** Order of the polynomials, below the window. */
  readonly order: number;
  /** The slope below which a curve counts as level. */
  readonly tolerance: number;
}

type Derivative = 0 | 1 | 2;

/**
 * The weights that turn the values of a window into the value of the fitted polynomial in the middle, or its first or
 * second derivative. They are computed by the recurrence of the polynomials that are orthogonal on the points of the
 * window, which is accurate for all orders that requests can have.
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
  /** Its value in the middle, and its first two derivatives there. */
  readonly middle: number[];
  readonly square: number;
}

/** The next orthogonal polynomial: `x * here - factor * before`. */
function nextPolynomial(points: Float64Array, here: Polynomial, before: Polynomial, factor: number) {
  const values = points.map(
    (point, index) => point * (here.values[index] as number) - factor * (before.values[index] as number),
  );
  const middle = before.middle.map(
    (value, derivative) => derivative * (here.middle[derivative - 1] ?? 0) - factor * value,
  );
  return { values, middle, square: values.reduce((sum, value) => sum + value * value, 0) };
}

/** A filtered curve; the curve is mirrored beyond its ends. */
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
 * Smooths a curve, and finds its lows: points where it is level (within the tolerance) and bends upwards; of consecutive
 * such points, the lowest one. A curve shorter than the window has none.
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

/** A smaller second derivative is that of a straight line, apart from rounding. */
const MIN_BEND = 1e-9;
