import { parseArgs } from 'node:util';
import Fastify from 'fastify';

/** A Fastify server that answers nothing but `/health`: what a start takes at least. */
const { values } = parseArgs({ options: { port: { type: 'string' } }, strict: false });
const app = Fastify();
app.get('/health', async () => ({ status: 'ok' }));
await app.listen({ host: '127.0.0.1', port: Number(values.port) });
