import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { startServer } from '../../support/server.ts';

/** Ways out of a folder, and names that no file has. */
const TAILS = [
  '%2e%2e/%2e%2e/package.json',
  '../../package.json',
  '..%2f..%2fpackage.json',
  '..%5c..%5cpackage.json',
  '.%00',
  '%00',
  '%',
  '%c0%ae%c0%ae/',
  '.hidden',
  'no-such-file.js',
  '/'.repeat(50),
  'a'.repeat(5000),
  '~root/x',
  ';a=b',
  '?x=%',
];

/** Asks for a path as it is written. */
function ask(port: number, method: string, path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method, path, agent: false }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode as number, body }), reject);
    });
    asked.once('error', reject).end();
  });
}

t.test('no path below the documentation is a failure of the server', async (t) => {
  const { port } = await startServer(t);
  for (const root of ['/docs/', '/docs/static/', '/redoc/', '/docs', '/redoc']) {
    for (const tail of TAILS) {
      for (const method of ['GET', 'HEAD']) {
        const { status, body } = await ask(port, method, root + tail);
        t.ok(status >= 200 && status < 500, `${method} ${root}${tail.slice(0, 40)}: ${status}`);
        t.notMatch(body, /"dependencies"/);
      }
    }
  }
  const { status, body } = await ask(port, 'GET', '/docs/static/%2e%2e/%2e%2e/package.json');
  t.equal(status, 404);
  t.match(body, /"detail":"There is nothing at /);
});
