import { spawnSync } from 'node:child_process';
import t from 'tap';
import { needs } from '../../support/here.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';
import { blocksOf, page } from '../programs.ts';
import { followPage, without } from '../run-page.ts';

/** What server/CORPORA.md says is true: its commands are run. */

const corpora = page('server/CORPORA.md');

const OF_PRESET = needs('chunker/auto', 'chunker/markdown', 'refinery/context', 'tokenizer/tiktoken');
const OF_TOUR = { skip: without('curl', 'jq') || OF_PRESET.skip };
t.test('its tour prints what it says, command by command', OF_TOUR, async (t) => {
  const cwd = await temporaryFolder(t);
  const { url } = await startServer(t, { bulkRoot: cwd, workers: 1 });
  const sections = ['The command line', 'Jobs on one server'].map(
    (name) => corpora.split(`\n## ${name}\n`)[1]?.split('\n## ')[0],
  );
  await followPage(t, sections.join('\n'), { cwd, url });
});

t.test('its programs in Python can be compiled', { skip: without('python3') }, async (t) => {
  const blocks = blocksOf(corpora, 'python');
  t.equal(blocks.length, 1);
  for (const input of blocks) {
    const compile = ['-c', 'import sys; compile(sys.stdin.read(), "page", "exec")'];
    t.equal(spawnSync('python3', compile, { input, encoding: 'utf8' }).stderr, '');
  }
});
