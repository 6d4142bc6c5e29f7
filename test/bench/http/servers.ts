import { request } from 'node:http';
import { type SoakServer, startSoakServer } from '../../soak/server.ts';
import { withCleanup } from '../race/temporary.ts';

/** Uses this project's server with a data folder of its own, and stops it. */
export function withOurs<T>(
  use: (server: SoakServer) => Promise<T>,
  args: readonly string[] = [],
): Promise<T> {
  return withCleanup(async (t, folder) => use(await startSoakServer(t, ['--data-dir', folder, ...args])));
}

/** Sends bytes and drops what comes back, so that the client takes little of the machine. */
export function postBytes(url: string, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const sent = request(url, { method: 'POST', headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${response.statusCode}`));
      response.on('end', resolve).on('error', reject).resume();
    });
    sent.on('error', reject).end(body);
  });
}
