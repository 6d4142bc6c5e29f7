import { Command } from 'commander';
import { ServiceError } from '../../../core/errors.ts';
import { Api } from '../../cli/api.ts';
import { type Engine, openEngine } from '../../cli/engine.ts';
import { UsageError } from '../../cli/errors.ts';
import { inOwnTerms } from '../../cli/own-terms.ts';
import type { Environment } from '../../config/config.ts';
import type { ServerCradle } from '../../container.ts';
import { orUnknownNames } from '../../engine/run/executor.ts';
import type { Runner } from '../../engine/run/runner.ts';
import { groupsInFlight } from '../../engine/run/stream.ts';
import { namedIn as namesIn } from '../../engine/stages/stages.ts';
import { Refusals } from '../../engine/validation/refusals.ts';
import { type Chunking, localChunking } from '../chunk-documents.ts';
import type { JobSpec } from '../jobs/spec.ts';
import type { FieldMapping } from '../shard.ts';
import { type ChunkTask, localTask, remoteTask } from './chunk-task.ts';
import { inCommandTerms } from './command-terms.ts';
import { CHUNK_FLAGS, type ChunkFlags, optionFlags, optionValues, problemOfFlag } from './flags.ts';
import { remoteChunking } from './remote-chunking.ts';
import { type CorpusSource, isDocument, openSource } from './source.ts';
import type { RangeTools } from './thread-choice.ts';

export interface ChunkSetup {
  readonly source: CorpusSource;
  readonly flags: ChunkFlags;
  readonly spec: JobSpec;
  readonly chunking: Chunking;
  /** Chunks a source in ranges; undefined if `chunking` chunks it, because it cannot be divided or on a server. */
  readonly ranges: RangeTools | undefined;
  /** Reads files in this process, and chunks them unless a server does. */
  readonly cradle: ServerCradle;
}

/**
 * Reads the arguments of `chunk`. The chunker is determined first, because the flags depend on the chunker.
 *
 * @param command receives the flags; prints help and errors
 * @param use does the work; the engine is closed afterwards
 */
export async function withSetup<T>(
  command: Command,
  args: readonly string[],
  env: Environment,
  use: (setup: ChunkSetup) => Promise<T>,
): Promise<T> {
  const named = namedIn(args);
  const engine = await openEngine({ workers: named.server === undefined ? named.workers : '0' }, env);
  const { cradle } = engine;
  // Threads that the user asks for start beside the rest of the start.
  if (named.workers !== undefined && named.server === undefined) cradle.pool?.startThreads();
  try {
    const api = named.server === undefined ? undefined : new Api(named.server, env.CHUNKSMITH_KEY);
    const chunked = await (api === undefined
      ? localTask(named, cradle)
      : remoteTask(named, api, cradle.registry));
    addFlags(command, chunked);
    command.parse([...args], { from: 'user' });
    const flags = command.opts<ChunkFlags>();
    checkTogether(flags);
    const spec = specOf(flags, chunked, command.opts());
    if (api === undefined) await checkOptions(spec, chunked, cradle);
    const { out, errors, manifest } = flags;
    const isWhole = out !== undefined || spec.source.fields !== undefined;
    const source = await openSource({ ...flags, isWhole, written: [out, errors, manifest] }, command.args);
    checkFields(spec, source);
    const setup = { source, flags, spec, cradle };
    if (api !== undefined)
      return await use({ ...setup, ranges: undefined, chunking: remoteChunking(api, chunked.path) });
    const chunking = localChunkingOf(cradle, cradle.runner);
    return await use({ ...setup, ranges: rangesOf(engine, flags, source), chunking });
  } finally {
    await engine.close();
  }
}

const STEP_OPTIONS =
  '(options of a step are set in the pipeline, or in a preset by --set <step>.<option>=<value>)';

function addFlags(command: Command, { task, schema }: ChunkTask): void {
  const name = task.run === 'chunk' ? task.name : 'the pipeline';
  if (task.run === 'execute') command.showHelpAfterError(STEP_OPTIONS);
  for (const flag of CHUNK_FLAGS) command.addOption(flag);
  for (const flag of optionFlags(schema)) command.addOption(flag.helpGroup(`Options of ${name}:`));
}

function namedIn(args: readonly string[]): ChunkFlags {
  const command = new Command().helpOption(false).allowUnknownOption().allowExcessArguments().exitOverride();
  for (const flag of CHUNK_FLAGS) command.addOption(flag);
  return command.parse([...args], { from: 'user' }).opts<ChunkFlags>();
}

function localChunkingOf(
  { service, byteBudget, config }: ServerCradle,
  runner: Pick<Runner, 'run' | 'throughput'>,
): Chunking {
  const slots = groupsInFlight(config.workers);
  return inCommandTerms(localChunking({ service, runner, byteBudget, slots }));
}

function rangesOf(
  { cradle, inline }: Engine,
  { workers }: ChunkFlags,
  { files }: CorpusSource,
): RangeTools | undefined {
  if (files === undefined) return undefined;
  const { config, runner } = cradle;
  return {
    bulk: runner.bulk,
    inline: localChunkingOf(cradle, inline),
    fed(areThreads) {
      const run: Runner['run'] = (...given) => (areThreads() ? runner : inline).run(...given);
      return localChunkingOf(cradle, { run, throughput: inline.throughput });
    },
    workers: config.workers,
    isForced: workers !== undefined,
  };
}

function checkTogether({ out, outFormat, resume, since, group }: ChunkFlags): void {
  if (outFormat === 'parquet') {
    if (out === undefined) throw new UsageError('--out-format parquet: name a folder with --out');
    if (group === 'document')
      throw new UsageError('--out-format parquet: each row is a chunk; leave out --group');
    if (since !== undefined)
      throw new UsageError('--out-format parquet: not with --since, whose lines include deletions');
  }
  if (resume && out === undefined) throw new UsageError('--resume: name the folder of the run with --out');
  if (since !== undefined && group === 'document') throw new UsageError('--since: not with --group document');
}

/** @throws UsageError if `fields` is set but would have no effect, because no file has members */
function checkFields({ source: { format, fields } }: JobSpec, { files = [] }: CorpusSource): void {
  if (fields === undefined || files.length === 0) return;
  if (!files.every((file) => isDocument(file, format))) return;
  const [field] = Object.keys(fields);
  throw new UsageError(
    `--${field}-field: each file is one text and has no members; --format csv or jsonl reads rows or lines`,
  );
}

/** @throws UsageError with the flags of the invalid options */
async function checkOptions(
  { task, options }: JobSpec,
  { schema }: ChunkTask,
  { service }: ServerCradle,
): Promise<void> {
  try {
    const line = Buffer.from(JSON.stringify(options));
    const { stages, uses } = await orUnknownNames(service, () => service.readStreamPlan(task, line));
    const refusals = new Refusals();
    for (const named of namesIn(stages, uses)) refusals.note(named);
    await service.refuse(refusals);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.problems.length === 0) throw error;
    throw new UsageError(
      error.problems.map((problem) => inOwnTerms(problemOfFlag(problem, schema))).join('\n'),
    );
  }
}

function specOf(
  flags: ChunkFlags,
  { task, schema, options }: ChunkTask,
  given: Readonly<Record<string, unknown>>,
): JobSpec {
  const { group, format, out = '', outFormat } = flags;
  const fields = mappingOf(flags);
  return {
    source: {
      path: '',
      format,
      ...(fields !== undefined && { fields }),
    },
    task,
    options: { ...optionValues(schema, given), ...options },
    group,
    target: { path: out, ...(outFormat === 'parquet' && { format: outFormat }) },
  };
}

function mappingOf({ idField, textField, titleField, metadataField }: ChunkFlags): FieldMapping | undefined {
  const fields = { id: idField, text: textField, title: titleField, metadata: metadataField };
  const named = Object.entries(fields).filter(([, field]) => field !== undefined);
  return named.length === 0 ? undefined : Object.fromEntries(named);
}
