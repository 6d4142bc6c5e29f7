import type { Factory, Tokenizer } from '../../../core/kit.ts';
import { createSeparatedText } from '../../toolkit/separated-text.ts';
import type manifest from './manifest.ts';

/** Opens `word`: only a space (U+0020) ends a word. */
const createWordTokenizers: Factory<typeof manifest> = () => ({
  names: () => [word.name],
  open: async (name) => (name === word.name ? word : undefined),
});

export default createWordTokenizers;

const word: Tokenizer = { name: 'word', tokenize: (text) => createSeparatedText(text, ' ') };
