import type { FastifyInstance, FastifyReply } from 'fastify';
import { ServiceError } from '../../../core/errors.ts';
import { pathOf } from '../transport/error-handler.ts';
import type { PageFile } from './page-files.ts';

/** The page loads nothing from other hosts, has no inline script or style, and cannot be framed. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The worker that draws PDFs has a policy of its own: only it compiles WebAssembly. */
const WORKER = 'view/pdf-worker.ts';
const WORKER_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

export async function playgroundRoutes(app: FastifyInstance): Promise<void> {
  // Found at the first request, because few servers are asked for the page.
  let found: Promise<(path: string) => Promise<PageFile> | undefined> | undefined;
  const send = async (path: string, asked: string, reply: FastifyReply) => {
    found ??= import('./page-files.ts').then(({ findPageFiles }) => findPageFiles());
    const file = (await found)(path);
    if (file === undefined) throw new ServiceError('not_found', { path: asked, hint: '' });
    const { type, content } = await file;
    const policy = path === WORKER ? WORKER_POLICY : POLICY;
    reply.header('content-security-policy', policy).header('cache-control', 'no-cache').type(type);
    return reply.send(content);
  };
  app.get('/playground', { schema: { hide: true } }, async (request, reply) => {
    const path = pathOf(request);
    // Redirects to the path without a slash, because the URLs in the page are relative.
    if (path.endsWith('/')) return reply.redirect('../playground');
    return send('index.html', path, reply);
  });
  app.get<{ Params: { '*': string } }>('/playground/*', { schema: { hide: true } }, async (request, reply) =>
    send(request.params['*'], pathOf(request), reply),
  );
}
