import type { Factory, Tokenizer } from '../../../core/kit.ts';
import { createSeparatedText } from '../../toolkit/separated-text.ts';
import type manifest from './manifest.ts';

const createRowTokenizers: Factory<typeof manifest> = () => ({
  names: () => [row.name],
  open: async (name) => (name === row.name ? row : undefined),
});

export default createRowTokenizers;

const row: Tokenizer = { name: 'row', tokenize: (text) => createSeparatedText(text, '\n') };
