import { dirname } from 'node:path';
import { reasonOf, ServiceError } from '../../core/errors.ts';
import { describeFailure } from '../../core/hosting/capability.ts';
import type { PluginEntry } from '../../core/hosting/registry.ts';
import type { ServerCradle } from '../container.ts';
import { placeIn } from '../plugins/loader/import-error.ts';
import { exampleFor } from './plugin-examples.ts';

/**
 * Prints for every plugin whether it can run here, and runs its example as a request would be run.
 *
 * @returns whether every plugin that lacks nothing can be imported and runs its example, and none is broken
 */
export async function checkPlugins(cradle: ServerCradle): Promise<boolean> {
  const failures = await cradle.importCheck.failures();
  let areGood = true;
  for (const entry of cradle.registry.all) {
    const failure = failures.get(entry.id);
    const problem =
      failure === undefined
        ? await problemOfExample(entry, cradle)
        : `cannot be imported, ${describeFailure(failure)}`;
    if (problem !== undefined) areGood = false;
    console.log(`  ${entry.id}: ${problem ?? stateOf(entry)}`);
    if (problem !== undefined || lacksPackage(entry)) console.log(`    in ${dirname(entry.file)}`);
    if (entry.warning !== undefined) console.log(`    warning: ${entry.warning}`);
  }
  for (const { kind = 'unknown', name, file, reason, message = reason } of cradle.registry.broken) {
    console.log(`  ${kind}/${name}: broken, ${message}`);
    console.log(`    in ${file}`);
  }
  return areGood && cradle.registry.broken.length === 0;
}

/** Whether it is unavailable and its folder is the place where `npm install` has to be run. */
function lacksPackage({ manifest, missing }: PluginEntry): boolean {
  return missing.length > 0 && manifest.needs?.packages !== undefined;
}

function stateOf({ missing }: PluginEntry): string {
  return missing.length === 0 ? 'available' : `missing, ${missing.join('; ')}`;
}

/** What the server lacks for an example, which says nothing against the plugin. */
const LACKING = new Set(['unknown_tokenizer', 'unknown_model', 'model_files_missing', 'missing_capability']);

/** What goes wrong when the example of a plugin is run; `undefined` if nothing does, or if it cannot be run here. */
async function problemOfExample(entry: PluginEntry, cradle: ServerCradle): Promise<string | undefined> {
  if (entry.missing.length > 0) return undefined;
  try {
    const example = await exampleFor(entry, cradle);
    if (example === undefined) return undefined;
    await cradle.runner.run(example.task, Buffer.from(JSON.stringify(example.body)), new AbortController());
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError && LACKING.has(error.code)) return undefined;
    return `its example fails, ${causeOf(error, dirname(entry.file)) ?? reasonOf(error)}`;
  }
}

/** What a plugin itself has thrown, with the file and the line; `undefined` if the error is the server's own. */
function causeOf(error: unknown, folder: string): string | undefined {
  const { cause, stack = '' } = error as { readonly cause?: unknown; readonly stack?: string };
  // Of an error that comes from another thread there is the text alone.
  const thrown = cause instanceof Error ? cause.stack : /caused by ([\s\S]*)/.exec(stack)?.[1];
  if (thrown === undefined) return undefined;
  const [line = ''] = thrown.split('\n', 1);
  const place = placeIn(thrown, folder);
  return place === undefined ? line : `${line} (${place})`;
}
