import type { Answer, Client } from './server.ts';

/** A file of a form. */
export interface FormFile {
  readonly bytes: Uint8Array | string;
  readonly name: string;
  readonly type?: string;
}

/** Posts a form with a file, as a web page does. */
export function postForm(
  client: Pick<Client, 'send'>,
  path: string,
  { bytes, name, type = '' }: FormFile,
  fields: readonly (readonly [name: string, value: string])[] = [],
): Promise<Answer> {
  const form = new FormData();
  for (const [field, value] of fields) form.append(field, value);
  form.append('file', new Blob([bytes as Uint8Array<ArrayBuffer>], { type }), name);
  return client.send(path, { method: 'POST', body: form });
}

/** Posts a file as the body itself. */
export function postFile(
  client: Pick<Client, 'send'>,
  path: string,
  bytes: Uint8Array | string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return client.send(path, { method: 'POST', body: bytes as Uint8Array<ArrayBuffer>, headers });
}
