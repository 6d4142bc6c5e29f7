import t from 'tap';
import {
  type RetryLimits,
  type RetryRules,
  retryAfterOf,
  withRetries,
} from '../../../../server/config/retry.ts';

const LIMITS: RetryLimits = { retries: 3, firstDelay: 1, maxDelay: 200 };

/** Work that fails as often as there are errors, and what happened to it. */
function failing(errors: readonly Error[]) {
  const delays: number[] = [];
  let runs = 0;
  const work = async () => {
    const error = errors[runs++];
    if (error !== undefined) throw error;
    return 'done';
  };
  const rules: RetryRules = { isTransient: () => true, onRetry: (_, delay) => delays.push(delay) };
  return { work, rules, delays, runs: () => runs };
}

const errors = (count: number) => Array.from({ length: count }, (_, index) => new Error(`error ${index}`));

t.test('a wait that the other side asks for is kept, once', async (t) => {
  const { work, rules, delays } = failing(errors(2));
  const asked = [100, undefined];
  const start = performance.now();
  await withRetries(LIMITS, { ...rules, retryAfter: () => asked.shift() }, work);
  t.ok(performance.now() - start >= 98);
  t.equal(delays[0], 100);
  t.ok((delays[1] as number) <= 4, 'the next delay is the usual one');
});

t.test('Retry-After is seconds, with or without a fraction, or a date', async (t) => {
  const read = (value: string) => retryAfterOf(new Headers({ 'retry-after': value }));
  t.equal(retryAfterOf(new Headers()), undefined);
  t.equal(read('2'), 2000);
  t.equal(read('1.5'), 1500);
  t.equal(read('soon'), undefined);
  t.equal(read(new Date(0).toUTCString()), 0, 'a date in the past');
  const soon = read(new Date(Date.now() + 10_000).toUTCString()) as number;
  t.ok(soon > 8000 && soon <= 10_000);
});
