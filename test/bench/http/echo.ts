import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import pino from 'pino';
import { Counter, Histogram } from 'prom-client';

/**
 * The work that Node and Fastify do without a service: parse a JSON body, slice its text every 512 units and
 * answer with the slices as JSON. With the argument `whole` it also does what every server has to do: an id, a line
 * in the log, metrics, security headers, the body as bytes, and a stop with a deadline for each request. Entry of a
 * process, which says where it listens.
 */
const SIZE = 512;
const ROUTE = '/v1/chunk/token';
const DEADLINE_MS = 300_000;
const HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};

function slices({ text }: { readonly text: string }): object[] {
  const chunks = [];
  for (let start = 0; start < text.length; start += SIZE) {
    const end = Math.min(start + SIZE, text.length);
    chunks.push({
      text: text.slice(start, end),
      start_index: start,
      end_index: end,
      token_count: end - start,
    });
  }
  return chunks;
}

function plainEcho(): FastifyInstance {
  const app = Fastify({ bodyLimit: 64 * 1024 * 1024 });
  app.post(ROUTE, async (request) => slices(request.body as { text: string }));
  return app;
}

function wholeEcho(): FastifyInstance {
  const app = Fastify({
    bodyLimit: 64 * 1024 * 1024,
    loggerInstance: pino(),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
  }) as unknown as FastifyInstance;
  const labels = ['route', 'status'] as const;
  const answered = new Counter({ name: 'answered_total', help: 'Requests.', labelNames: labels });
  const seconds = new Histogram({ name: 'seconds', help: 'Seconds of requests.', labelNames: labels });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({ 'x-request-id': request.id, ...HEADERS });
    done();
  });
  app.addHook('onResponse', ({ log, method, url }, reply, done) => {
    const of = { route: ROUTE, status: String(reply.statusCode) };
    answered.inc(of);
    seconds.observe(of, reply.elapsedTime / 1000);
    log.info({ method, path: url, status: reply.statusCode, ms: reply.elapsedTime }, 'answered');
    done();
  });
  app.post(ROUTE, async (request, reply) => {
    const stop = new AbortController();
    reply.raw.once('close', () => stop.abort());
    const deadline = setTimeout(() => stop.abort(), DEADLINE_MS);
    try {
      const chunks = slices(JSON.parse((request.body as Buffer).toString()) as { text: string });
      reply.type('application/json; charset=utf-8');
      return Buffer.from(JSON.stringify(chunks));
    } finally {
      clearTimeout(deadline);
    }
  });
  return app;
}

const app = process.argv[2] === 'whole' ? wholeEcho() : plainEcho();
console.log(`listening at ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
