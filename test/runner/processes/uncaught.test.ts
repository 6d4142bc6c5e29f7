import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { createReport } from '../report.ts';
import { runSuite } from '../run-suite.ts';

const ROOT = join(import.meta.dirname, '../../..');

t.test('an error that nobody catches fails the test that runs, and no other', async (t) => {
  const output = new PassThrough();
  const printed = text(output);
  const report = createReport(output);
  await runSuite(ROOT, ['test/fixtures/uncaught.ts'], report);
  t.notOk(report.finish());
  output.end();
  const lines = await printed;
  t.match(lines, /not ok .*a promise > of a promise\n/);
  t.match(lines, /not ok .*of a timer\n/);
  t.match(lines, /\n1 passed, /);
});
