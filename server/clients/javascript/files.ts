import type { FileToSend } from './inputs.ts';

/** The form that a file is sent as, with its options. */
export function formOf(file: FileToSend | Blob, options: object): FormData {
  const { data, name, mediaType }: FileToSend = file instanceof Blob ? { data: file } : file;
  const isTyped = data instanceof Blob && mediaType === undefined;
  const blob = isTyped ? data : new Blob([data], { type: mediaType ?? '' });
  const form = new FormData();
  form.set('file', blob, name ?? nameOf(data) ?? 'file');
  for (const [option, value] of Object.entries(options)) {
    if (value !== undefined) form.set(option, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return form;
}

/** Blobs that are files have a name. */
function nameOf(data: FileToSend['data']): string | undefined {
  return typeof data === 'object' && 'name' in data && typeof data.name === 'string' ? data.name : undefined;
}
