import t from 'tap';
import { growthRequests, SHAPES } from '../../../server/testing/checks/growth.ts';
import { startBlockCounter } from '../../support/executed-blocks.ts';
import { checkLinearWork } from '../../support/linear-work.ts';

/** `npm run test:soak -- hostile` measures time, on longer texts. */

const counter = await startBlockCounter(t);
const { unlessRefused } = await import('../../../server/testing/report.ts');
const { composeQuietly, runTask } = await import('../../support/service.ts');
const { registry, service } = await composeQuietly();

for (const { manifest } of registry.ofKind('chunker').filter(({ missing }) => missing.length === 0)) {
  t.test(`${manifest.name} does work linear in the text`, async (t) => {
    const run = (text: string, options: object) => {
      const body = Buffer.from(JSON.stringify({ text, ...options }));
      return unlessRefused(runTask(service, { run: 'chunk', name: manifest.name }, body));
    };
    await checkLinearWork(t, SHAPES, growthRequests(manifest.options?.properties), run, counter);
  });
}

t.test('the counter sees work that grows with the square of a text', async (t) => {
  const compareAll = (text: string) => {
    let same = 0;
    for (const one of text) for (const other of text) if (one === other) same++;
    return same;
  };
  const workOf = (length: number) => counter.count(() => compareAll('a'.repeat(length)));
  const growth = (await workOf(1600)) / (await workOf(200));
  t.ok(growth > 50, `${growth.toFixed(1)} times the work for 8 times the text`);
});

t.test('the counter refuses work of ours that was compiled before it started', async (t) => {
  counter.stop();
  const run = () => runTask(service, { run: 'chunk', name: 'token' }, { text: 'a b c' });
  const late = await startBlockCounter(t);
  await t.rejects(late.count(run), { message: /^compiled before the counter started: .* in core\// });
});
