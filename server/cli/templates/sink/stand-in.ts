import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseExactJson } from 'chunksmith/toolkit';

// For tests only: starts what the sink stores in, and inspects it. For a database, `env` has its address.
export default async function startStandIn() {
  const root = await mkdtemp(join(tmpdir(), 'my-plugin-'));
  const chunks = async (collection: string) => {
    const files = await readdir(join(root, collection)).catch(() => []);
    const own = files.filter((file) => file !== 'settings.json');
    const texts = await Promise.all(own.map((file) => readFile(join(root, collection, file), 'utf8')));
    return texts.flatMap((text) => parseExactJson(text));
  };
  return {
    env: {},
    options: (collection: string) => ({ folder: join(root, collection) }),
    chunks,
    stop: () => rm(root, { recursive: true, force: true }),
  };
}
