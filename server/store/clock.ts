/**
 * The current time, but later than `after` and all earlier results, as text that sorts chronologically: UTC without a
 * zone, `2026-01-02T03:04:05.123456`.
 */
export type Clock = (after?: string) => string;

/** If the precise clock differs from the system clock by more milliseconds, the system clock was set. */
const MAX_DRIFT = 2;

/** @param read the time in milliseconds since 1970, with a fraction */
export function createClock(read: () => number = readSystemClock): Clock {
  let last = 0;
  return (after) => {
    const least = Math.max(last, after === undefined ? 0 : toMicroseconds(after)) + 1;
    last = Math.max(least, Math.floor(read() * 1000));
    return toText(last);
  };
}

function readSystemClock(): number {
  const system = Date.now();
  const precise = performance.timeOrigin + performance.now();
  return Math.abs(precise - system) > MAX_DRIFT ? system : precise;
}

function toText(microseconds: number): string {
  const whole = new Date(Math.floor(microseconds / 1000)).toISOString().slice(0, -1);
  return whole + String(microseconds % 1000).padStart(3, '0');
}

function toMicroseconds(text: string): number {
  return Date.parse(`${text.slice(0, -3)}Z`) * 1000 + Number(text.slice(-3));
}
