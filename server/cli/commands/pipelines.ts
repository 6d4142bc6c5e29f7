import { Command } from 'commander';
import type { Environment } from '../../config/config.ts';
import type { Api } from '../api.ts';
import { UsageError } from '../errors.ts';
import { apiOf, print, type RemoteFlags, readJson, remoteCommand, table } from './remote.ts';

interface Pipeline {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly config: { readonly steps: readonly Readonly<Record<string, unknown>>[] };
  readonly updated_at: string;
}

const PATH = '/v1/pipelines';
const WHICH = 'name or id of the pipeline';

/** `chunksmith pipelines list|show|put|delete` */
export function pipelinesCommand(env: Environment): Command {
  const list = remoteCommand('list', 'List the pipelines that are stored', env).action(
    async (flags: RemoteFlags) => {
      print(flags, (await apiOf(flags, env).call('GET', PATH)) as readonly Pipeline[], inRows);
    },
  );
  const show = remoteCommand('show', 'Show a pipeline', env)
    .argument('<pipeline>', WHICH)
    .action(async (which: string, flags: RemoteFlags) =>
      print(flags, await find(apiOf(flags, env), which), inLines),
    );
  const put = remoteCommand('put', 'Store a pipeline under a name, or change the one that has it', env)
    .argument('<name>')
    .argument('<file>', 'JSON with its steps; - is standard input')
    .action(async (name: string, file: string, flags: RemoteFlags) => {
      const path = `${PATH}?name=${encodeURIComponent(name)}`;
      print(flags, (await apiOf(flags, env).call('PUT', path, readJson(file))) as Pipeline, inLines);
    });
  const remove = remoteCommand('delete', 'Delete a pipeline', env)
    .argument('<pipeline>', WHICH)
    .action(async (which: string, flags: RemoteFlags) => {
      const api = apiOf(flags, env);
      const { id, name } = await find(api, which);
      await api.call('DELETE', `${PATH}/${id}`);
      print(flags, { deleted: id }, () => `deleted ${name}`);
    });
  const pipelines = new Command('pipelines').description('Pipelines that a service stores');
  for (const command of [list, show, put, remove]) pipelines.addCommand(command);
  return pipelines;
}

/** @throws UsageError if there is none */
async function find(api: Api, which: string): Promise<Pipeline> {
  const named = (await api.call('GET', `${PATH}?name=${encodeURIComponent(which)}`)) as readonly Pipeline[];
  const [found] = named.length > 0 ? named : await all(api, which);
  if (found === undefined) throw new UsageError(`${which}: there is no pipeline of this name or id`);
  return found;
}

async function all(api: Api, id: string): Promise<readonly Pipeline[]> {
  const pipelines = (await api.call('GET', PATH)) as readonly Pipeline[];
  return pipelines.filter((one) => one.id === id.toLowerCase());
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
