import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { LeftOut } from '../../../core/contracts/reader.ts';
import { addLeftOut, leftOutInWords, leftOutOf } from '../../../server/engine/read/readers.ts';
import { postFile } from '../../support/files.ts';
import { needs } from '../../support/here.ts';
import { JOBS, runJob, startJobServer } from '../../support/jobs.ts';
import { runHere } from '../cli/command.ts';

/** What readers leave out of files is counted where the caller of a corpus looks. */

const SUBTITLES = needs('reader/subtitles', 'reader/text', 'chunker/token');
const cue = (second: number, text: string) => `00:00:0${second}.000 --> 00:00:0${second}.900\n${text}\n\n`;
const FILES = {
  'talks/a.vtt': `WEBVTT\n\nNOTE one\n\nNOTE two\n\nintro\n${cue(1, '<i>Tea.</i>')}`,
  'talks/b.srt': `7\n${cue(1, 'A')}9\n${cue(2, 'A\nB')}`,
  'talks/c.srt': `1\n${cue(1, '<b>Milk.</b>')}`,
  'talks/d.srt': 'no times',
  'talks/e.txt': 'NOTE all of it is read',
  'whole/a.srt': `1\n${cue(1, 'All.')}`,
};
const LEFT_OUT = { identifier: 2, note: 2, repeated_line: 1, tag: 4 };
const IN_WORDS = 'left out by readers: identifier 2; note 2; repeated_line 1; tag 4';

const server = await startJobServer(t);
for (const folder of ['talks', 'whole']) await mkdir(join(server.root, folder));
for (const [name, content] of Object.entries(FILES)) await writeFile(join(server.root, name), content);
const chunk = (...args: readonly string[]) =>
  runHere(t, ['chunk', ...args, '--chunker', 'token'], { cwd: server.root });

t.test('a job adds up what was left out of its files', SUBTITLES, async (t) => {
  const job = await runJob(server, { source: { path: 'talks' } });
  t.match(job, { state: 'done', documents: { done: 4, failed: 1, skipped: 0 } });
  t.same(job.left_out, LEFT_OUT);
  const { counts } = (await server.get(`${JOBS}/${job.id}/result`)).json<{ counts: { left_out: object } }>();
  t.same(counts.left_out, LEFT_OUT, 'in the manifest, too');
  const whole = await runJob(server, { source: { path: 'whole' } });
  t.same(whole.left_out, {});
});

t.test('the command says so at its end', SUBTITLES, async (t) => {
  for (const out of [[], ['--out', 'out']]) {
    const { stderr } = await chunk('talks', ...out);
    t.equal(stderr.trim().split('\n').at(-1), IN_WORDS);
  }
  const again = await chunk('talks', '--out', 'out', '--resume');
  t.equal(again.stderr.trim().split('\n').at(-1), IN_WORDS, 'a resumed run counts nothing twice');
  t.same((await chunk('talks', '--progress', 'json')).summary().left_out, LEFT_OUT);
  const whole = await chunk('whole');
  t.notMatch(whole.stderr, /left out/);
});

t.test('a header of a single file says so, and the headers of a reader stay', SUBTITLES, async (t) => {
  const post = async (name: string, content: string) =>
    (await postFile(server, `/v1/chunk/token/file?filename=${name}`, content)).headers;
  const subtitles = await post('a.vtt', FILES['talks/a.vtt']);
  t.equal(subtitles.get('x-source-left-out'), 'identifier 1; note 2; tag 2');
  t.equal((await post('a.srt', FILES['whole/a.srt'])).get('x-source-left-out'), null);
});

t.test('scripts and comments of a page are no content', needs('reader/html', 'chunker/token'), async (t) => {
  const page = '<!-- a --><script>b</script><p>c<p hidden>d<p style="display: none">e';
  const { headers } = await postFile(server, '/v1/chunk/token/file?filename=a.html', page);
  t.equal(headers.get('x-html-left-out'), 'comment 1; hidden 2; script 1');
  t.equal(headers.get('x-source-left-out'), 'hidden_element 2');
});

t.test('what cannot be counted is a fault of the reader', async (t) => {
  const reader = { kind: 'reader', name: 'odd' } as const;
  const found = (leftOut: LeftOut) => leftOutOf(reader, { text: '', leftOut });
  t.same(found({ note: 1, constructor: 2 }), { note: 1, constructor: 2 });
  for (const leftOut of [{ note: 0 }, { note: 1.5 }, { note: -1 }, { 'a note': 1 }, { Note: 1 }, { '': 1 }])
    t.throws(() => found(leftOut), { code: 'broken_promise' }, JSON.stringify(leftOut));
});

t.test('counts are added by name', async (t) => {
  t.same(addLeftOut({ note: 1, tag: 2 }, { tag: 3, constructor: 1 }), { note: 1, tag: 5, constructor: 1 });
  t.equal(leftOutInWords({ tag: 5, note: 1 }), 'note 1; tag 5');
});
