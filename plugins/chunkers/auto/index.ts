import { type AnyChunker, type Chunker, type Factory, withFields } from '../../../core/kit.ts';
import { choose } from './choose.ts';
import type manifest from './manifest.ts';
import { type AutoOptions, CHOICES, type Choice, type Content } from './manifest.ts';
import { ruleByName } from './names.ts';

const createAutoChunker: Factory<typeof manifest> = (collaborators): Chunker<AutoOptions> => {
  const chunkers = new Map(CHOICES.map((name) => [name, collaborators[`chunker/${name}`]]));
  const isHere = (name: Choice) => chunkers.get(name) !== undefined;
  return {
    check: (options) =>
      CHOICES.flatMap((name) => {
        const given = options[name];
        const problems = isObject(given) ? chunkers.get(name)?.check?.(given) : undefined;
        return (problems ?? []).map((problem) => `${name}.${problem}`);
      }),
    async chunk(text, options, context) {
      const { id, mediaType, filename: given } = context.document;
      const filename = options.filename ?? given ?? id;
      const isTolerant = options.json?.tolerant === true;
      const content = choose({ text, filename, mediaType, isTolerant, isHere });
      const name = isRecipe(content) ? 'recursive' : content;
      context.report('auto-chunker', name);
      const chunker = chunkers.get(name) as AnyChunker;
      const grammar = content === 'code' ? ruleByName(filename ?? '', text)?.grammar : undefined;
      const chosen = optionsOf(content, grammar, filename, options);
      const spans = await chunker.chunk(text, chosen as never, context as never);
      return spans.map((span) => withFields(span, { ...span.extra, chunker: name }));
    },
  };
};

export default createAutoChunker;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isRecipe(content: Content): content is Exclude<Content, Choice> {
  return content === 'diff' || content === 'log' || content === 'lines' || content === 'mail';
}

function optionsOf(
  content: Content,
  grammar: string | undefined,
  filename: string | undefined,
  options: AutoOptions,
): object {
  const { chunk_size, numbered_headings } = options;
  if (isRecipe(content)) return { ...withRecipe(content, options.recursive), chunk_size };
  const own = { ...options[content], chunk_size };
  if (content === 'recursive') return { ...own, numbered_headings };
  if (content === 'markdown') {
    const mdx = options.markdown?.mdx ?? (filename === undefined ? null : /\.mdx$/i.test(filename));
    return { ...own, numbered_headings, mdx };
  }
  if (content === 'markup') return { ...own, filename: filename ?? null };
  if (content !== 'code') return own;
  return { ...own, language: options.code?.language ?? grammar ?? 'auto', filename: filename ?? null };
}

function withRecipe(recipe: string, own: AutoOptions['recursive'] = {}): object {
  const { recipe: given = 'default', delimiters = [], levels = [] } = own;
  const isGiven =
    given !== 'default' || [delimiters, levels].some((list) => Array.isArray(list) && list.length > 0);
  return isGiven ? own : { ...own, recipe };
}
