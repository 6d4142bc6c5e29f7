import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { CLIENT, openPackages } from '../../servers/python.ts';
import { HOME, noServers, serverFolder } from '../../servers/servers.ts';
import { needs } from '../../support/here.ts';
import { startPostgres } from '../../support/postgres.ts';
import { startServer } from '../../support/server.ts';
import { setVariables } from '../../support/variables.ts';
import { blocksOf, page } from '../programs.ts';

const OF_PLUGINS = needs(
  'chunker/auto',
  'chunker/markdown',
  'refinery/context',
  'refinery/embeddings',
  'sink/pgvector',
);

const { folder: PACKAGES, missing: noPackages } = await openPackages();

const skip = OF_PLUGINS.skip || noServers || noPackages;

t.test('the first index prints what its page says', { skip }, async (t) => {
  const text = page('server/FIRST-INDEX.md');
  const postgres = await startPostgres(t);
  const pgvectorUrl = await postgres.newDatabase();
  setVariables(t, { PGVECTOR_URL: pgvectorUrl });
  const { inside, outside } = await serverFolder(t, HOME);
  const { url } = await startServer(t, { bulkRoot: outside, workers: 1 });
  await cp(PACKAGES, join(outside, 'packages'), { recursive: true });
  await cp(join(CLIENT, 'chunksmith'), join(outside, 'packages/chunksmith'), { recursive: true });
  const [program = ''] = blocksOf(text, 'python').map((one) => one.replace('http://localhost:8000', url));
  const [shown = ''] = blocksOf(text, 'console');
  const files = blocksOf(text, 'sh').find((block) => block.startsWith('mkdir'));
  const commands = shown.match(/(?<=^\$ ).*/gm) ?? [];
  const script = [
    'exec 2>&1',
    files,
    'cat > index.py <<"PROGRAM"',
    `${program}PROGRAM`,
    ...commands.flatMap((command) => [`printf '%s\\n' ${JSON.stringify(`$ ${command}`)}`, command]),
  ].join('\n');
  const [chroot = '', ...as] = HOME.prefix;
  const run = promisify(execFile)(chroot, [...as, 'sh', '-c', `cd ${inside}\n${script}`], {
    env: {
      PATH: '/usr/sbin:/usr/bin',
      PGVECTOR_URL: pgvectorUrl,
      PYTHONPATH: `${inside}/packages`,
      PYTHONUTF8: '1',
    },
  });
  t.equal((await run).stdout, shown);
});
