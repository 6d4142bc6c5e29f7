import { type AnyChunker, type Chunker, type Factory, withFields } from '../../../core/kit.ts';
import { choose } from './choose.ts';
import type manifest from './manifest.ts';
import { type AutoOptions, CHOICES, type Choice } from './manifest.ts';

const createAutoChunker: Factory<typeof manifest> = (collaborators): Chunker<AutoOptions> => {
  const chunkers = new Map(CHOICES.map((name) => [name, collaborators[`chunker/${name}`]]));
  const { kit } = collaborators;
  const isHere = (name: Choice) => chunkers.get(name) !== undefined;
  return {
    async chunk(text, options, context) {
      const { id, mediaType, filename: given } = context.document;
      const filename = options.filename ?? given ?? id;
      const isTolerant = options.json?.tolerant === true;
      const name = choose({ text, filename, mediaType, isTolerant, isHere, kit });
      context.report('auto-chunker', name);
      const chunker = chunkers.get(name) as AnyChunker;
      const own = ownOptions(name, options, filename);
      const spans = await chunker.chunk(text, own as never, context as never);
      return spans.map((span) => withFields(span, { ...span.extra, chunker: name }));
    },
  };
};

export default createAutoChunker;

/** The options of the chosen chunker: its own and those that all of them share. */
function ownOptions(name: Choice, options: AutoOptions, filename: string | undefined): object {
  const own = { ...options[name], chunk_size: options.chunk_size };
  if (name === 'recursive') return { ...own, numbered_headings: options.numbered_headings };
  if (name === 'markdown') {
    const mdx = options.markdown?.mdx ?? (filename === undefined ? null : /\.mdx$/i.test(filename));
    return { ...own, numbered_headings: options.numbered_headings, mdx };
  }
  if (name !== 'code') return own;
  return { ...own, language: options.code?.language ?? 'auto', filename: filename ?? null };
}
