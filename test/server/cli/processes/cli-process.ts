import { constants } from 'node:os';
import { join } from 'node:path';
import { startNode } from '../../../support/process.ts';
import type { Cleanup } from '../../../support/server.ts';
import { type CliResult, pluginFolders, resultOf } from '../cli.ts';

const MAIN = join(import.meta.dirname, '../../../../server/cli/main.ts');

export interface CliOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A shell line that runs the command as `"$@"`. */
  readonly shell?: string;
  readonly uid?: number;
}

/** Starts `node server/cli/main.ts`, with the plugins that shared tests name; ended after the test. */
export function startCli(t: Cleanup, args: readonly string[], options: CliOptions) {
  const { env = {} } = options;
  const variables = { ...env, PLUGINS_DIR: pluginFolders(env).join(',') };
  const { end, ...started } = startNode(t, [MAIN, ...args], { ...options, env: variables });
  return {
    ...started,
    /** Waits for its end. */
    async ended(): Promise<CliResult> {
      const [code, signal] = await end;
      // As shells have it: a signal that comes when Node has nearly ended ends it by itself.
      const status = signal === 'SIGINT' ? 128 + constants.signals.SIGINT : code;
      return resultOf(status, started.stdout(), started.stderr());
    },
  };
}

/** Runs a command to its end. @param input of standard input, which is empty without it */
export async function runCli(
  t: Cleanup,
  args: readonly string[],
  { input = '', ...options }: CliOptions & { readonly input?: string | Uint8Array },
): Promise<CliResult> {
  const started = startCli(t, args, options);
  started.child.stdin?.end(input);
  return started.ended();
}
