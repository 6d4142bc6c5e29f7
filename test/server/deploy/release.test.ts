import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validateWorkflow } from '@action-validator/core';
import t from 'tap';

const ROOT = join(import.meta.dirname, '../../..');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

t.test('the workflows are ones that GitHub can run', (t) => {
  const files = globSync('.github/workflows/*.yml', { cwd: ROOT });
  t.not(files.length, 0);
  for (const file of files) t.same(validateWorkflow(readFileSync(join(ROOT, file), 'utf8')).errors, [], file);
  const wrong =
    'on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    needs: b\n    steps:\n      - uses: x\n';
  t.match(validateWorkflow(wrong).errors, [{ code: 'unresolved_job' }], 'the validator sees what is wrong');
  t.end();
});

t.test('a release makes a bill of its materials', (t) => {
  const command =
    /npm (sbom .*) > /.exec(readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8'))?.[1] ?? '';
  const bill = JSON.parse(execFileSync('npm', command.split(' '), { cwd: ROOT, maxBuffer: 1e8 }).toString());
  t.match(bill, { bomFormat: 'CycloneDX', metadata: { component: { 'bom-ref': `chunksmith@${version}` } } });
  const names = bill.components.map((one: { name: string }) => one.name);
  t.ok(names.includes('fastify'));
  t.notOk(names.includes('tap'), 'what only tests need is left out');
  t.end();
});
