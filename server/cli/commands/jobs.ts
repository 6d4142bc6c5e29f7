import { randomUUID } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import type { Job, JobInput } from '../../clients/javascript/api-types.ts';
import { Jobs } from '../../clients/javascript/jobs.ts';
import { LINES } from '../../clients/javascript/transport.ts';
import type { Environment } from '../../config/config.ts';
import { CommandError } from '../errors.ts';
import { PRESET_FLAGS, type PresetFlags, presetOf } from '../preset-flags.ts';
import { apiOf, print, type RemoteFlags, readJson, remoteCommand, table } from './remote.ts';

const MB = 1e6;

export function jobsCommand(env: Environment): Command {
  const jobs = new Command('jobs').description('Manage the jobs of a service, which chunk corpora');
  const commands = [
    createCommand(env),
    listCommand(env),
    onJob('show', 'Show the progress of a job', env, (jobs, id, flags) => show(jobs.get(id), flags)),
    onJob('cancel', 'Cancel a job', env, (jobs, id, flags) => show(jobs.cancel(id), flags)),
    onJob('retry', 'Retry the failed part of a job', env, (jobs, id, flags) => show(jobs.retry(id), flags)),
    onJob('watch', 'Print the progress of a job until it ends; fails if the job does', env, follow),
    onJob('result', 'Print the output of a job', env, copy('result', env)),
    onJob('errors', 'Print the documents that failed', env, copy('errors', env)),
    onJob('delete', 'Delete a finished job and its output', env, remove),
  ];
  for (const command of commands) jobs.addCommand(command);
  return jobs;
}

interface ListFlags extends RemoteFlags {
  readonly state?: Job['state'];
  readonly limit: number;
}

interface CreateFlags extends RemoteFlags, PresetFlags {
  readonly key?: string;
}

function createCommand(env: Environment): Command {
  const create = remoteCommand('create', 'Begin a job', env)
    .argument('<file>', 'the body of POST /v1/jobs; - reads standard input')
    .option('--key <text>', 'Idempotency-Key: a repeated key does not start a second job');
  for (const flag of PRESET_FLAGS) create.addOption(flag);
  return create.action(async (file: string, flags: CreateFlags) => {
    const settings = { idempotencyKey: flags.key ?? randomUUID() };
    const job = { ...(readJson(file) as JobInput), ...presetOf(flags) };
    print(flags, await jobsOf(flags, env).create(job, settings), inLines);
  });
}

function listCommand(env: Environment): Command {
  return remoteCommand('list', 'List jobs, newest first', env)
    .option('--state <state>', 'only jobs in this state')
    .option('--limit <number>', 'maximum number of jobs', Number, 50)
    .action(async ({ state, limit, ...flags }: ListFlags) =>
      print(flags, await jobsOf(flags, env).list({ limit, ...(state && { state }) }), inRows),
    );
}

function onJob(
  name: string,
  description: string,
  env: Environment,
  act: (jobs: Jobs, id: string, flags: RemoteFlags) => Promise<void>,
): Command {
  return remoteCommand(name, description, env)
    .argument('<id>')
    .action((id: string, flags: RemoteFlags) => act(jobsOf(flags, env), id, flags));
}

async function show(job: Promise<Job>, flags: RemoteFlags): Promise<void> {
  print(flags, await job, inLines);
}

function jobsOf(flags: RemoteFlags, env: Environment): Jobs {
  return new Jobs(apiOf(flags, env));
}

async function follow(jobs: Jobs, id: string, flags: RemoteFlags): Promise<void> {
  const onProgress = (job: Job) => console.log(flags.json === true ? JSON.stringify(job) : inOneLine(job));
  const { state, error } = await jobs.wait(id, { onProgress });
  if (state !== 'done') throw new CommandError(`the job is ${state}: ${error?.detail ?? ''}`);
}

async function remove(jobs: Jobs, id: string, flags: RemoteFlags): Promise<void> {
  await jobs.delete(id);
  print(flags, { deleted: id }, () => `deleted ${id}`);
}

function copy(name: 'result' | 'errors', env: Environment) {
  return async (_jobs: Jobs, id: string, flags: RemoteFlags): Promise<void> => {
    const path = `/v1/jobs/${encodeURIComponent(id)}/${name}`;
    const call = { method: 'GET', path, headers: { accept: LINES } } as const;
    await pipeline(apiOf(flags, env).bytes(call), process.stdout, { end: false });
  };
}

function inRows(jobs: readonly Job[]): string {
  const rows = jobs.map((job) => [
    job.id,
    job.state,
    shareOf(job),
    String(job.documents.done),
    job.created_at,
  ]);
  return table([['id', 'state', 'read', 'documents', 'created'], ...rows]);
}

function inLines(job: Job): string {
  const { documents, shards, error } = job;
  return table([
    ['id', job.id],
    ['state', job.state],
    ...(error === null ? [] : [['error', error.detail]]),
    ['read', `${(job.bytes.read / MB).toFixed(1)} of ${(job.bytes.total / MB).toFixed(1)} MB`],
    ['documents', `${documents.done} done, ${documents.failed} failed`],
    ['chunks', String(job.chunks)],
    ['shards', `${shards.done} of ${shards.total}, ${shards.failed} failed`],
    ['created', job.created_at],
    ...(job.finished_at === null ? [] : [['finished', job.finished_at]]),
  ]);
}

function inOneLine(job: Job): string {
  const left = job.seconds_left === null ? '' : `, ${job.seconds_left} s left`;
  const { documents, chunks, bytes_per_second } = job;
  const rate = `${(bytes_per_second / MB).toFixed(1)} MB/s`;
  return `${job.state}, ${shareOf(job)}, ${documents.done} documents, ${documents.failed} failed, ${chunks} chunks, ${rate}${left}`;
}

function shareOf({ bytes: { read, total } }: Job): string {
  return total === 0 ? '0%' : `${Math.floor((100 * read) / total)}%`;
}
