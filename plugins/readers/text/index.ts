import type { Factory } from '../../../core/contracts/plugin.ts';
import type manifest from './manifest.ts';
import { readText } from './read-text.ts';

const createTextReader: Factory<typeof manifest> = ({ kit }) => ({
  async read(file, { signal }) {
    signal.throwIfAborted();
    const read = await readText(file);
    if ('text' in read) return read;
    const error = kit.exposedError(`The file cannot be read as text: ${read.problem}.`);
    throw Object.assign(error, { statusCode: 400 });
  },
});

export default createTextReader;
