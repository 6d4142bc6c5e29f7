import { Command } from 'commander';
import type { NamedPipeline, Pipeline } from '../../clients/javascript/api-types.ts';
import { Pipelines } from '../../clients/javascript/pipelines.ts';
import type { Environment } from '../../config/config.ts';
import { UsageError } from '../errors.ts';
import { apiOf, print, type RemoteFlags, readJson, remoteCommand, table } from './remote.ts';

const WHICH = 'name or id of the pipeline';

export function pipelinesCommand(env: Environment): Command {
  const list = remoteCommand('list', 'List the stored pipelines', env).action(async (flags: RemoteFlags) => {
    print(flags, await pipelinesOf(flags, env).list(), inRows);
  });
  const show = remoteCommand('show', 'Show a pipeline', env)
    .argument('<pipeline>', WHICH)
    .action(async (which: string, flags: RemoteFlags) =>
      print(flags, await find(pipelinesOf(flags, env), which), inLines),
    );
  const put = remoteCommand('put', 'Store a pipeline under a name, or update the existing one', env)
    .argument('<name>')
    .argument('<file>', 'JSON with its steps; - reads standard input')
    .action(async (name: string, file: string, flags: RemoteFlags) => {
      const given = readJson(file) as NamedPipeline;
      print(flags, await pipelinesOf(flags, env).put(name, given), inLines);
    });
  const remove = remoteCommand('delete', 'Delete a pipeline', env)
    .argument('<pipeline>', WHICH)
    .action(async (which: string, flags: RemoteFlags) => {
      const stored = pipelinesOf(flags, env);
      const { id, name } = await find(stored, which);
      await stored.delete(id);
      print(flags, { deleted: id }, () => `deleted ${name}`);
    });
  const pipelines = new Command('pipelines').description('Manage the pipelines of a service');
  for (const command of [list, show, put, remove]) pipelines.addCommand(command);
  return pipelines;
}

function pipelinesOf(flags: RemoteFlags, env: Environment): Pipelines {
  return new Pipelines(apiOf(flags, env));
}

/** @throws UsageError if no pipeline has this name or id */
async function find(stored: Pipelines, which: string): Promise<Pipeline> {
  const [named] = await stored.list({ name: which });
  const found = named ?? (await stored.list()).find(({ id }) => id === which.toLowerCase());
  if (found === undefined) throw new UsageError(`${which}: no pipeline has this name or id`);
  return found;
}

function inRows(pipelines: readonly Pipeline[]): string {
  const rows = pipelines.map(({ id, name, config, updated_at }) => [name, id, stepsOf(config), updated_at]);
  return table([['name', 'id', 'steps', 'changed'], ...rows]);
}

function inLines({ id, name, description, config, updated_at }: Pipeline): string {
  const about = table([
    ['name', name],
    ['id', id],
    ['changed', updated_at],
    ...(description === null ? [] : [['about', description]]),
  ]);
  const steps = config.steps.map((step) => `  ${JSON.stringify(step)}`);
  return [about, 'steps', ...steps].join('\n');
}

function stepsOf({ steps }: Pipeline['config']): string {
  return steps.map(({ chunker, refinery }) => chunker ?? refinery).join(', ');
}
