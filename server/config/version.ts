import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

const file = findPackageJSON('.', import.meta.url) as string;
const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };

export const NAME = 'Chunksmith';
export const VERSION = version;
