/** Ids of the special tokens that a model expects around one text. */
export interface Frame {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** Reads what the post-processor of a `tokenizer.json` puts around a single text. */
export function readFrame(postProcessor: unknown): Frame {
  let frame: Frame = { before: [], after: [] };
  for (const processor of flatten(postProcessor)) {
    const { before, after } = readOne(processor);
    frame = { before: [...before, ...frame.before], after: [...frame.after, ...after] };
  }
  return frame;
}

function readOne(processor: Fields): Frame {
  if (processor.type === 'TemplateProcessing') return readTemplate(processor);
  if (processor.type === 'BertProcessing' || processor.type === 'RobertaProcessing') {
    return { before: idOfPair(processor.cls), after: idOfPair(processor.sep) };
  }
  return { before: [], after: [] };
}

function readTemplate({ single, special_tokens: specials }: Fields): Frame {
  if (!Array.isArray(single)) throw new Error('its post-processor has no template');
  const text = single.findIndex((part) => isRecord(part) && 'Sequence' in part);
  const idsOf = (parts: unknown[]): number[] => parts.flatMap((part) => specialIds(part, specials));
  if (text === -1) throw new Error('its post-processor has a template without a text');
  return { before: idsOf(single.slice(0, text)), after: idsOf(single.slice(text + 1)) };
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

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isId = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value);
