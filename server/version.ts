import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(import.meta.dirname, '..', 'package.json');
const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };

export const NAME = 'Chunksmith';
export const VERSION = version;
