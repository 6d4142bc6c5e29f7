import { readFile } from 'node:fs/promises';

/** The id of the token that a `tokenizer.json` gives to what it does not know. */
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
