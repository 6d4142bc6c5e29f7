import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

const ROOT = join(import.meta.dirname, '../../../..');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

t.test('a release makes a bill of its materials', async (t) => {
  const command =
    /npm (sbom .*) > /.exec(readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8'))?.[1] ?? '';
  const bill = JSON.parse(execFileSync('npm', command.split(' '), { cwd: ROOT, maxBuffer: 1e8 }).toString());
  t.match(bill, { bomFormat: 'CycloneDX', metadata: { component: { 'bom-ref': `chunksmith@${version}` } } });
  const names = bill.components.map((one: { name: string }) => one.name);
  t.ok(names.includes('fastify'));
  t.notOk(names.includes('tap'), 'what only tests need is left out');
});
