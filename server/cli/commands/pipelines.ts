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
      print(flags, await all(apiOf(flags, env)), inRows);
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
      const call = { method: 'PUT', path: PATH, query: { name }, json: readJson(file) } as const;
      print(flags, await apiOf(flags, env).json<Pipeline>(call), inLines);
    });
  const remove = remoteCommand('delete', 'Delete a pipeline', env)
    .argument('<pipeline>', WHICH)
    .action(async (which: string, flags: RemoteFlags) => {
      const api = apiOf(flags, env);
      const { id, name } = await find(api, which);
      await api.json({ method: 'DELETE', path: `${PATH}/${id}` });
      print(flags, { deleted: id }, () => `deleted ${name}`);
    });
  const pipelines = new Command('pipelines').description('Pipelines that a service stores');
  for (const command of [list, show, put, remove]) pipelines.addCommand(command);
  return pipelines;
}

/** @throws UsageError if there is none */
async function find(api: Api, which: string): Promise<Pipeline> {
  const [named] = await all(api, { name: which });
  const found = named ?? (await all(api)).find(({ id }) => id === which.toLowerCase());
  if (found === undefined) throw new UsageError(`${which}: there is no pipeline of this name or id`);
  return found;
}

function all(api: Api, query: { readonly name?: string } = {}): Promise<readonly Pipeline[]> {
  return api.json({ method: 'GET', path: PATH, query });
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
