import type { Tokenizer } from '../../../../core/kit.ts';

export type SpecialTokens = Required<Tokenizer>['specialTokens'];

/** Reads what the post-processor of a `tokenizer.json` puts around a single text. */
export function readSpecialTokens(postProcessor: unknown): SpecialTokens {
  const all = flatten(postProcessor).map(readOne);
  const prefix = all.toReversed().flatMap((tokens) => tokens.prefix);
  return { prefix, suffix: all.flatMap(({ suffix }) => suffix) };
}

function readOne(processor: Fields): SpecialTokens {
  if (processor.type === 'TemplateProcessing') return readTemplate(processor);
  if (processor.type === 'BertProcessing' || processor.type === 'RobertaProcessing') {
    return { prefix: idOfPair(processor.cls), suffix: idOfPair(processor.sep) };
  }
  return { prefix: [], suffix: [] };
}

function readTemplate({ single, special_tokens: specials }: Fields): SpecialTokens {
  if (!Array.isArray(single)) throw new Error('its post-processor has no template');
  const text = single.findIndex((part) => isRecord(part) && 'Sequence' in part);
  const idsOf = (parts: unknown[]): number[] => parts.flatMap((part) => specialIds(part, specials));
  if (text === -1) throw new Error('its post-processor has a template without a text');
  return { prefix: idsOf(single.slice(0, text)), suffix: idsOf(single.slice(text + 1)) };
}

/** The ids of `{"SpecialToken": {"id": "<s>"}}`, which the template's list of special tokens gives. */
function specialIds(part: unknown, specials: unknown): number[] {
  const name = isRecord(part) && isRecord(part.SpecialToken) ? part.SpecialToken.id : undefined;
  const special = isRecord(specials) ? specials[String(name)] : undefined;
  const ids = isRecord(special) ? special.ids : undefined;
  if (!Array.isArray(ids) || !ids.every(isId))
    throw new Error('its post-processor has a token without an id');
  return ids;
}

/** The id of `["[CLS]", 101]`. */
function idOfPair(pair: unknown): number[] {
  if (!Array.isArray(pair) || !isId(pair[1])) throw new Error('its post-processor has a token without an id');
  return [pair[1]];
}

/** The single post-processors of one, which may be a sequence. */
function flatten(processor: unknown): Fields[] {
  if (!isRecord(processor)) return [];
  if (processor.type !== 'Sequence') return [processor];
  return Array.isArray(processor.processors) ? processor.processors.flatMap(flatten) : [];
}

export type Fields = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isId = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value);
