import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { Result } from 'tap-parser';
import { stringify } from 'yaml';

/** How a process ended that did not run all of its files to their end. */
export interface BrokenSuite {
  readonly files: readonly string[];
  /** Those that were not done. */
  readonly left: readonly string[];
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly errors: string;
}

/** Prints a line for each file, failures as they come, and at the end what was counted. */
export interface Report {
  /** An assertion, or a test that was skipped. */
  assertion(result: Result): void;
  fileDone(result: Result): void;
  suiteBroken(suite: BrokenSuite): void;
  /** Prints last `N passed, N failed, N skipped (N: why; N: why)`. Gives whether nothing failed. */
  finish(): boolean;
}

export function createReport(output: Writable): Report {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const skippedBy = new Map<string, number>();
  const failed: string[] = [];
  const print = (line: string) => output.write(`${line}\n`);

  const fail = (name: string, details: string) => {
    counts.failed++;
    failed.push(name);
    print(`${styleText('red', 'not ok')} - ${name}\n${details}`);
  };

  return {
    assertion(result) {
      if (result.skip !== false) {
        counts.skipped++;
        const reason = result.skip === true ? 'no reason given' : result.skip;
        skippedBy.set(reason, (skippedBy.get(reason) ?? 0) + 1);
      } else if (result.ok) counts.passed++;
      else fail(pathOf(result), describe(result));
    },
    fileDone({ ok, name, time }) {
      const mark = ok ? styleText('green', 'ok  ') : styleText('red', 'FAIL');
      print(`${mark} ${seconds(time ?? 0)} ${name}`);
    },
    suiteBroken({ files, left, code, signal, errors }) {
      const unfinished = left.length === 0 ? 'none' : left.join(', ');
      const end = signal === null ? `exit code ${code}` : `${signal}`;
      fail(`a process of ${files.length} test files ended with ${end}; not done: ${unfinished}`, errors);
    },
    finish() {
      if (failed.length > 0) print(`\nFailed:\n${failed.join('\n')}\n`);
      const reasons = [...skippedBy].map(([reason, count]) => `${count}: ${reason}`).join('; ');
      const why = reasons === '' ? '' : ` (${reasons})`;
      print(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped${why}`);
      return counts.failed === 0;
    },
  };
}

function pathOf({ fullname, name }: Result): string {
  return fullname.endsWith(name) ? fullname : `${fullname} > ${name}`;
}

function describe({ diag }: Result): string {
  return diag === null ? '' : stringify(diag).replace(/^/gm, '    ');
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1).padStart(6)} s`;
}
