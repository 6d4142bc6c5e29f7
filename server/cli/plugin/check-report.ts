import { inWords } from '../../testing/checks/in-words.ts';
import type { CheckResult } from '../../testing/checks/result.ts';
import { table } from '../commands/remote.ts';

/** Everything known about a checked plugin. */
export interface CheckReport {
  /** `chunker/section`; missing if the manifest cannot be read. */
  readonly plugin?: string | undefined;
  readonly checks: readonly CheckResult[];
}

export function failedIn({ checks }: CheckReport): number {
  return checks.filter(({ state }) => state === 'failed').length;
}

/** A line for each check, followed by what is broken. */
export function inLines(given: string, { plugin, checks }: CheckReport): string {
  const rows = table(checks.map(({ state, check, detail = '' }) => [state, check, detail])).split('\n');
  const lines = checks.flatMap(({ failures }, at) => [
    rows[at] ?? '',
    ...failures.flatMap((failure) =>
      inWords(failure)
        .split('\n')
        .map((line) => `    ${line}`),
    ),
  ]);
  const counted = Object.entries(Object.groupBy(checks, ({ state }) => state));
  const summary = counted.map(([state, group]) => `${group?.length ?? 0} ${state}`).join(', ');
  return [plugin === undefined ? given : `${plugin} in ${given}`, ...lines, summary].join('\n');
}
