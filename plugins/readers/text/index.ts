import type { Factory } from '../../../core/contracts/plugin.ts';
import type manifest from './manifest.ts';
import { readText } from './read-text.ts';

const createTextReader: Factory<typeof manifest> = ({ kit }) => ({
  async read(file, { signal }) {
    signal.throwIfAborted();
    const read = await readText(file);
    if ('text' in read) return read;
    throw kit.refusedError(`The file cannot be read as text: ${read.problem}.`);
  },
});

export default createTextReader;
