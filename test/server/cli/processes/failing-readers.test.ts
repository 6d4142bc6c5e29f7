import { join } from 'node:path';
import t from 'tap';
import { reportOf } from '../../../../server/cli/plugin/check-command.ts';
import { type CheckEvent, checkPlugin } from '../../../../server/cli/plugin/check-steps.ts';
import { plugin, pluginsFolder } from '../../../support/plugins.ts';

t.setTimeout(240_000);

const guardedReader = (name: string, factory: string) => ({
  ...plugin(
    { kind: 'reader', name, formats: { extensions: ['.x'] }, guarded: true },
    `export default ${factory};`,
  ),
});

/** What a guarded reader does, and which promise `plugin check` says that it breaks, with the cause. */
const FAILING: readonly (readonly [
  name: string,
  factory: string,
  check: string,
  promise: string,
  found: RegExp,
])[] = [
  [
    'throws',
    "() => ({ read() { throw new Error('always'); } })",
    'refusals',
    'an unreadable',
    /^Error: always \(index\.js:1\)$/,
  ],
  [
    'says',
    "() => ({ read() { throw 'a word'; } })",
    'refusals',
    'an unreadable',
    /^Error: it threw "a word", which is not/,
  ],
  [
    'later',
    "() => ({ async read() { await 1; throw new TypeError('why'); } })",
    'refusals',
    'an unreadable',
    /^TypeError: why \(index\.js:1\)$/,
  ],
  [
    'rejects',
    '() => ({ read: () => Promise.reject() })',
    'refusals',
    'an unreadable',
    /^Error: it threw "undefined", which is not/,
  ],
  ['forgets', '() => ({ read() {} })', 'text', 'it returns an object', /^undefined$/],
  [
    'ends',
    '() => ({ read() { process.exit(3); } })',
    'refusals',
    'a guarded reader stays',
    /^Error: it ended its thread with status 3$/,
  ],
  [
    'timer',
    "() => ({ read: () => new Promise(() => setTimeout(() => { throw new Error('why'); })) })",
    'refusals',
    'a guarded reader stays',
    /^Error: why \(index\.js:1\)$/,
  ],
  [
    'asks',
    '({ hosted }) => ({ read: () => hosted })',
    'factory',
    'it can be imported',
    /asks for hosted, which a guarded reader does not receive/,
  ],
  [
    'fails',
    "() => { throw new Error('in the factory'); }",
    'factory',
    'it can be imported',
    /^Error: in the factory \(index\.js:1\)$/,
  ],
  [
    'loops',
    '() => ({ read() { for (;;); } })',
    'refusals',
    'a guarded reader stays',
    /it takes longer than 1 s/,
  ],
  [
    'waits',
    '() => ({ read: () => new Promise(() => {}) })',
    'refusals',
    'a guarded reader stays',
    /it takes longer than 1 s/,
  ],
  [
    'grows',
    '() => ({ read() { for (const all = []; ; ) all.push({}); } })',
    'refusals',
    'a guarded reader stays',
    /more memory than a file may/,
  ],
];
const failing = await pluginsFolder(
  t,
  Object.assign({}, ...FAILING.map(([name, made]) => guardedReader(name, made))),
);

for (const [name, , of, promise, found] of FAILING) {
  t.test(`a guarded reader that fails is told the cause once: it ${name}`, async (t) => {
    const inputs: unknown[] = [];
    const events: CheckEvent[] = [];
    // Long enough to take much memory on a busy machine, short for what never ends.
    const env = found.source.includes('1 s') ? { READER_SECONDS: '1', READER_SECONDS_PER_MB: '0' } : {};
    await checkPlugin({ folder: join(failing, name), runs: 5, seed: 7, done: ['README'] }, env, (event) => {
      if ('input' in event) inputs.push(event.input);
      else events.push(event);
    });
    const report = reportOf(events);
    const { failures = [] } = report.checks.find(({ check }) => check === of) ?? {};
    t.equal(failures.length, 1);
    t.ok(failures[0]?.promise.startsWith(promise), failures[0]?.promise ?? '');
    t.match(failures[0]?.where ?? '', found);
    t.ok(inputs.length < 200, `${inputs.length} files`);
  });
}
