import { LETTERS, MAX_SETTINGS, type Setting, type Step } from './model.ts';

export interface Shared {
  readonly settings: readonly Setting[];
  readonly text: string | undefined;
}

/** Encodes the settings and, if given, the compressed text as a URL fragment. Browsers never send fragments. */
export async function toHash({ settings, text }: Shared): Promise<string> {
  const json = JSON.stringify(settings.map(({ steps }) => steps));
  const own = `s=${encodeURIComponent(json)}`;
  return text === undefined ? own : `${own}&t=${await packed(text)}`;
}

/** Decodes a URL fragment. Returns undefined if the fragment is empty or was not made by `toHash`. */
export async function fromHash(hash: string): Promise<Shared | undefined> {
  const parameters = new URLSearchParams(hash.replace(/^#/, ''));
  try {
    const lists: unknown = JSON.parse(parameters.get('s') ?? '');
    if (!Array.isArray(lists) || lists.length === 0 || !lists.every(isSteps)) return undefined;
    const settings = lists
      .slice(0, MAX_SETTINGS)
      .map((steps, index) => ({ id: LETTERS[index] as string, steps }));
    const text = parameters.get('t');
    return { settings, text: text === null ? undefined : await unpacked(text) };
  } catch {
    return undefined;
  }
}

function isSteps(value: unknown): value is readonly Step[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every((step: Partial<Step> | null) => {
    const isKind = ['chunker', 'refinery', 'pipeline'].includes(String(step?.kind));
    return (
      isKind && typeof step?.name === 'string' && typeof step.options === 'object' && step.options !== null
    );
  });
}

/** Encodes a text as compressed JSON in base64url. JSON keeps lone surrogates, which UTF-8 cannot encode. */
async function packed(text: string): Promise<string> {
  const stream = new Blob([JSON.stringify(text)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

async function unpacked(packed: string): Promise<string> {
  const bytes = Uint8Array.from(atob(packed.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
    letter.charCodeAt(0),
  );
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return JSON.parse(await new Response(stream).text()) as string;
}
