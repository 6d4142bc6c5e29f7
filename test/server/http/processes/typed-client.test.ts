import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generateApi } from 'swagger-typescript-api';
import t from 'tap';
import { needs } from '../../../support/here.ts';
import { startServer, temporaryFolder } from '../../../support/server.ts';

/** What a generator of typed clients makes of the OpenAPI document. */

const NEEDED = needs('chunker/code', 'refinery/overlap');
const root = join(import.meta.dirname, '../../../..');
const client = await startServer(t);
const document = (await client.get('/openapi.json')).bytes.toString();

/** A program of a user; it is compiled, run, and prints what it was answered. */
const PROGRAM = `
import { Api, type Chunk, type CodeChunkerOptions, type Error, type EvaluateRequest, type EvaluatedCandidate, type Evaluation, type Job, type JobInput, type PipelineStep, type StreamLine, type V1 } from './client.ts';

const api = new Api({ baseUrl: ${JSON.stringify(client.url)} });
const { data } = await api.v1.chunkToken({ text: 'a b c d', chunk_size: 4 });
const [first] = data as Chunk[];
const options: CodeChunkerOptions = { language: 'go' };
const request: V1.ChunkCode.RequestBody = { text: 'package a', ...options };
const { data: found } = await api.v1.chunkCode(request);
const shown: V1.ChunkCode.ResponseBody = found;
const documents = [{ id: 'a', text: 'one\\ntwo', metadata: { from: 'here' }, pages: [0, 4] }];
const included: V1.ChunkToken.RequestBody = { documents, chunk_size: 4, include: ['id', 'lines', 'pages', 'hash'] };
const [chunks] = (await api.v1.chunkToken(included)).data as Chunk[][];
const last: Chunk | undefined = chunks?.at(-1);
const place = [last?.last_line, last?.first_page, last?.hash?.length, last?.id?.length, last?.document_id];
const line: StreamLine = { index: 0, id: 'a', chunks: chunks ?? [] };
const failed: StreamLine = { index: 1, error: { status: 400, detail: 'no' } };
const compared: EvaluateRequest = {
  documents: [{ id: 'a', text: 'one two' }],
  questions: [{ question: 'two', answers: [{ document: 'a', start_index: 4, end_index: 7 }] }],
  candidates: [{ chunker: 'token', config: { chunk_size: 3 } }, { steps: [{ type: 'chunk', chunker: 'token' }] }],
};
const evaluated: Evaluation | undefined = await api.v1.evaluateCandidates(compared).then(({ data }) => data, () => undefined);
const [better]: EvaluatedCandidate[] = evaluated?.candidates ?? [];
const scores = [better?.recall, better?.iou, better?.questions?.[0]?.found[0]?.score, better?.error?.detail];
// @ts-expect-error There is no such option.
const incomparable: EvaluateRequest = { ...compared, kk: 1 };
// @ts-expect-error There is no such field of chunks.
const unknown: V1.ChunkToken.RequestBody = { text: 'a', include: ['pagez'] };
// @ts-expect-error A line has its place.
const lost: StreamLine = { chunks: [] };
const asked: JobInput = { source: { path: 'kb', fields: { text: 'body' } }, steps: [{ type: 'chunk', chunker: 'token' }] };
const job: Job | undefined = await api.v1.createJob(asked).then(({ data }) => data, () => undefined);
const progress = [job?.state === 'done', job?.documents.failed, job?.error?.detail];
// @ts-expect-error There is no such group.
const ungrouped: JobInput = { ...asked, group: 'page' };
const pipeline = await api.v1.createPipeline({ name: 'typed', steps: [{ type: 'chunk', chunker: 'token' }] });
const [step]: PipelineStep[] = pipeline.data.config.steps;
const refused = await api.v1.getPipeline('none').catch(({ error }: { error: Error }) => error.detail);
// @ts-expect-error There is no such option.
const misspelt: CodeChunkerOptions = { langauge: 'go' };
// @ts-expect-error A request has a text.
const empty: V1.ChunkCode.RequestBody = { language: 'go' };
console.log(JSON.stringify([first?.text, shown.length, step?.chunker, refused, place, line.chunks?.length, failed.error]));
void [misspelt, empty, unknown, lost, scores, incomparable, progress, ungrouped];
`;

const STRICT = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024', 'dom'],
    module: 'nodenext',
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    strict: true,
    noUncheckedIndexedAccess: true,
    rewriteRelativeImportExtensions: true,
    rootDir: '.',
    outDir: 'made',
  },
};

const { files } = await generateApi({
  spec: JSON.parse(document),
  output: false,
  silent: true,
  generateRouteTypes: true,
});
// Its first lines tell the compiler not to look at the rest.
const source = (files[0]?.fileContent ?? '').replace('// @ts-nocheck', '');
const types = source.slice(0, source.indexOf('export type QueryParamsType'));

t.test('the types of all paths, requests and answers are short, and have their names', NEEDED, async (t) => {
  const routes = Object.values(JSON.parse(document).paths as Record<string, object>);
  const operations = routes.flatMap((methods) => Object.keys(methods)).length;
  const lines = types.split('\n').length;
  t.ok(lines < 46 * operations, `${lines} lines for ${operations} operations`);
  t.match(types, /namespace ChunkToken/, 'with the paths');
  for (const name of ['Chunk', 'Pipeline', 'PipelineStep', 'StreamLine', 'Error']) {
    t.match(types, new RegExp(`^export interface ${name} {`, 'm'));
  }
  const served = JSON.parse(document).paths as Record<string, unknown>;
  const plugins = Object.keys(served).flatMap(
    (path) => /^\/v1\/(chunk|refine)\/([^/]+)$/.exec(path)?.[2] ?? [],
  );
  t.equal(types.match(/^export interface \w+(Chunker|Refinery)Options {/gm)?.length, plugins.length);
});

t.test('no option has to be sent', NEEDED, async (t) => {
  const options = types.match(/^export interface \w+(Chunker|Refinery)Options {.*?^}/gms) ?? [];
  for (const one of options) t.notMatch(one, /^ {2}\w+:/m, one.slice(0, 60));
});

t.test('a program that uses the client compiles and runs', NEEDED, async (t) => {
  const folder = await temporaryFolder(t, {
    'package.json': '{ "type": "module" }',
    'tsconfig.json': JSON.stringify(STRICT),
    'client.ts': source,
    'program.ts': PROGRAM,
  });
  // The runner of the tests has every process of Node load what the compiler cannot be loaded with.
  const plain = ['-u', 'NODE_OPTIONS', process.execPath];
  const run = async (...args: string[]) =>
    (await promisify(execFile)('env', [...plain, ...args], { cwd: folder })).stdout;
  t.equal(await run(join(root, 'node_modules/typescript/bin/tsc')), '', 'the compiler has nothing to say');
  const printed = JSON.parse(await run('made/program.js')) as unknown[];
  t.same(printed.slice(0, 3), ['a b ', 1, 'token']);
  t.match(printed[3], /pipeline/, 'an error has its detail');
  t.same(printed.slice(4), [[2, 2, 64, 36, null], 2, { status: 400, detail: 'no' }]);
});
