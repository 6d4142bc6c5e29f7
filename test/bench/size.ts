import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * `npm run size` prints the lines and files of what runs, by room: TypeScript and Python that git knows below `core`,
 * `plugins` and `server`, without tests, training code and generated types.
 */

const ROOT = join(import.meta.dirname, '../..');
const SOURCE = /\.(ts|py)$/;
const LEFT_OUT = /\.test\.|\/training\/|\/api-types\.ts$/;

const listed = execFileSync('git', ['ls-files', 'core', 'plugins', 'server'], {
  cwd: ROOT,
  encoding: 'utf8',
});
const files = listed.split('\n').filter((file) => SOURCE.test(file) && !LEFT_OUT.test(file));

const rooms = new Map<string, { lines: number; files: number }>();
for (const file of files) {
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1;
  const [top = '', inner = ''] = file.split('/');
  for (const room of [inner.endsWith('.ts') ? top : `${top}/${inner}`, 'all']) {
    const size = rooms.get(room) ?? { lines: 0, files: 0 };
    rooms.set(room, { lines: size.lines + lines, files: size.files + 1 });
  }
}
for (const [room, size] of rooms) console.log(`${room}: ${size.lines} lines, ${size.files} files`);
