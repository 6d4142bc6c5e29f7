import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validateWorkflow } from '@action-validator/core';
import t from 'tap';
import { parse } from 'yaml';
import { describeOptions } from '../../../server/config/options.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

t.test('compose passes keys and other variables, and needs no folder of a certain owner', async (t) => {
  const { services, volumes } = parse(read('compose.yaml'));
  const { environment, env_file, volumes: mounts, ports } = services.chunksmith;
  const known = describeOptions().map(({ variable }) => variable);
  const isKey = (name: string) => name.endsWith('_API_KEY');
  for (const name of environment) t.ok(known.includes(name) || isKey(name), `${name} is a variable`);
  for (const name of ['API_KEYS', 'DATABASE_URL']) t.ok(environment.includes(name), name);
  t.same(env_file, [{ path: '.env', required: false }], 'a file with any of the variables, if there is one');
  t.ok(read('.gitignore').includes('/.env'), 'which is not committed');
  t.same(mounts, ['data:/app/data']);
  t.same(Object.keys(volumes), ['data'], 'a named volume begins as the folder of the image, with its owner');
  t.match(read('Dockerfile'), /chown node:node data\b/);
  t.same(ports, ['8000:8000']);
});

t.test('HEALTHCHECK of the image runs the check that follows the server, of what is built', async (t) => {
  const [, command = ''] = /^HEALTHCHECK .*\\\n +CMD (\[.*\])$/m.exec(read('Dockerfile')) ?? [];
  const [, entry = ''] = /^ENTRYPOINT (\[.*\])$/m.exec(read('Dockerfile')) ?? [];
  for (const [node, file = ''] of [JSON.parse(command), JSON.parse(entry)]) {
    t.equal(node, 'node');
    t.ok(existsSync(join(ROOT, file.replace(/^build\//, '').replace(/js$/, 'ts'))), file);
  }
  t.match(JSON.parse(entry)[1], /^build\/server\/main\.js$/, 'which it looks for');
});

t.test('the image is given all that the build reads', async (t) => {
  const given = read('.dockerignore');
  for (const [, sources = ''] of read('Dockerfile').matchAll(/^COPY (?!--from)(.*) \S+$/gm)) {
    for (const source of sources.split(' ')) t.match(given, `\n!${source}\n`, source);
  }
});

t.test('the workflows are ones that GitHub can run', async (t) => {
  const files = globSync('.github/workflows/*.yml', { cwd: ROOT });
  t.not(files.length, 0);
  for (const file of files) t.same(validateWorkflow(read(file)).errors, [], file);
  const wrong =
    'on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    needs: b\n    steps:\n      - uses: x\n';
  t.match(validateWorkflow(wrong).errors, [{ code: 'unresolved_job' }], 'the validator sees what is wrong');
});
