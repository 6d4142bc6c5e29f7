import t from 'tap';
import { isOfMissingPlugin } from '../support/here.ts';
import { SOURCES, withoutComments } from './sources.ts';

/**
 * Who may hold what breaks by an event: a socket, stream, server, client of a database, worker thread or child process. An
 * `error` event that nobody listens to ends the process, with all its requests.
 */

/** What makes one, as it is called in the sources. */
const MAKERS = [
  'new (?:pg\\.)?(?:Client|Pool|PgBoss|Worker|Socket|Server|Piscina|WebSocket|EventSource)\\b',
  '(?:new sonic\\.)?SonicBoom\\(',
  '(?:create(?:Server|Connection|ReadStream|WriteStream)|connect|spawn|fork|exec|execFile|watch)\\(',
  'create(?:Gunzip|Inflate|Unzip|BrotliDecompress|ZstdDecompress|Gzip|Deflate|BrotliCompress|ZstdCompress)\\b',
  '(?:client|https?|http2)\\.(?:request|get|connect)\\(',
];
const MAKER = new RegExp(`(?<![\\w.])(?:${MAKERS.join('|')})|\\.pipe\\(`, 'g');

/** Those that are not made by `hold` where they stand, and who listens to them. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'plugins/sinks/pgvector/index.ts connect(': 'a method',
  'plugins/sinks/pgvector/index.ts new pg.Pool': 'its Database holds it',
  'server/engine/run/pool.ts new Piscina': 'who opens it holds it',
  'server/engine/run/shared-buffers.ts new Client': 'a client of our own buffers, without a connection',
  'server/engine/run/shared-buffers.ts client.get(': 'a client of our own buffers, without a connection',
  'server/corpora/formats/compression.ts createGunzip': 'a type',
  'server/http/transport/bodies.ts createGunzip': 'a table; what is made from it is held',
  'server/http/transport/bodies.ts createInflate': 'a table; what is made from it is held',
  'server/http/transport/bodies.ts createBrotliDecompress': 'a table; what is made from it is held',
  'server/http/transport/bodies.ts createZstdDecompress': 'a table; what is made from it is held',
  'server/http/transport/bodies.ts .pipe(': 'the decoder is held, the request by Fastify',
};

/** All but what runs in browsers and in programs of others, and is made of `fetch`. */
const HERE = [...SOURCES].filter(([file]) => !/^server\/clients\//.test(file));

function unheld(file: string, source: string): string[] {
  const code = withoutComments(source).replace(/^(?:import|export) [^;]*?from '[^']*';$/gm, '');
  const found = [...code.matchAll(MAKER)].filter(({ index }) => !isHeld(code.slice(0, index)));
  return [...new Set(found.map(([maker]) => `${file} ${maker}`))].filter((one) => !(one in ELSEWHERE));
}

/** Whether the last call that is open is that of `hold`. */
const isHeld = (before: string): boolean => /\bhold\(\s*\(?[^;]{0,60}$/.test(before);

t.test('what breaks by an event is made by hold', async (t) => {
  const found = HERE.flatMap(([file, source]) => unheld(file, source));
  t.same(found, []);
});

t.test('nobody but hold listens to what breaks', async (t) => {
  const LISTENS = /\.(?:on|once|addListener)\(\s*'error'/;
  const listening = HERE.filter(([, source]) => LISTENS.test(withoutComments(source)));
  const files = listening.map(([file]) => file);
  t.same(files, ['core/hold.ts']);
});

t.test('no row of the table is left over', async (t) => {
  for (const row of Object.keys(ELSEWHERE)) {
    const [file = '', ...maker] = row.split(' ');
    if (isOfMissingPlugin(file)) continue;
    t.ok(SOURCES.get(file)?.includes(maker.join(' ')), row);
  }
});

t.test('what is not held is found', async (t) => {
  for (const code of [
    'const pool = new pg.Pool(settings);',
    "const child = spawn('node', []);",
    'for await (const piece of createReadStream(path)) read(piece);',
    'const worker = new Worker(file);\nhold(other);',
  ])
    t.not(unheld('server/a.ts', code).length, 0, code);
  t.same(unheld('server/a.ts', 'const worker = hold(new Worker(file), end);'), []);
});
