import Fastify from 'fastify';

/**
 * The work that Node and Fastify do without a service: parse a JSON body, slice its text every 512 units and
 * answer with the slices as JSON. Entry of a process, which says where it listens.
 */
const SIZE = 512;

const app = Fastify({ bodyLimit: 64 * 1024 * 1024 });
app.post('/v1/chunk/token', async (request) => {
  const { text } = request.body as { text: string };
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
});
console.log(`listening at ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
