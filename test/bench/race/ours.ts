import type { Manifest } from '../../../core/contracts/manifest.ts';
import { chunkText } from '../../../core/engine/chunking.ts';
import type { Config } from '../../../server/config/config.ts';
import type { Task } from '../../../server/engine/tasks.ts';
import { composeQuietly, runTask } from '../../support/service.ts';
import type { Peer } from './peers.ts';
import type { Candidate } from './race.ts';

export const { signal } = new AbortController();

/** The service in one thread, as every worker has it, and parts of it alone. */
export async function composeOurs(config: Partial<Config> = {}) {
  const { registry, host, openers, service } = await composeQuietly(config);
  return {
    openers,
    /** Takes the bytes of a request and returns the bytes of the answer. */
    async answer(task: Task, body: Uint8Array): Promise<Uint8Array> {
      return (await runTask(service, task, body, signal)).bytes;
    },
    /** Returns the chunks of a text with the default options, as objects that hold their texts. */
    async chunks(name: string, text: string, tokenizer: string): Promise<unknown[]> {
      const { manifest } = registry.require('chunker', name);
      const ready = { manifest, chunker: await host.get('chunker', name) };
      const tools = { tokenizer: await openers.tokenizer(tokenizer), report() {}, signal };
      const spans = await chunkText(ready, text, defaultsOf(manifest), tools);
      return spans.map(({ start, end, token_count }) => ({
        text: text.slice(start, end),
        start_index: start,
        end_index: end,
        token_count,
      }));
    },
  };
}

function defaultsOf({ options }: Manifest): Record<string, unknown> {
  const all = Object.entries(options?.properties ?? {});
  return Object.fromEntries(
    all.flatMap(([name, schema]) => ('default' in schema ? [[name, schema.default]] : [])),
  );
}

/** Ours against peers that do the same. */
export function against(
  run: () => unknown,
  peers: readonly Peer[],
  runPeer: (peer: Peer) => unknown,
): Candidate[] {
  return [
    { name: 'chunksmith', isOurs: true, run },
    ...peers.map((peer) => ({ name: peer.name, run: () => runPeer(peer) })),
  ];
}
