import { readFile } from 'node:fs/promises';

/** Reads from a `tokenizer.json` the id of the token that stands for unknown text. */
export async function readUnknownId(path: string): Promise<number | undefined> {
  const { model } = JSON.parse(await readFile(path, 'utf8')) as { model: UnknownToken };
  if (typeof model.unk_id === 'number') return model.unk_id;
  return typeof model.unk_token === 'string' ? model.vocab?.[model.unk_token] : undefined;
}

interface UnknownToken {
  readonly unk_id?: unknown;
  readonly unk_token?: unknown;
  readonly vocab?: Readonly<Record<string, number>>;
}
