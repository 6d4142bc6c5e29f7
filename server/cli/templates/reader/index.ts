import type { Collaborators, Reader } from 'chunksmith/kit';

const TIMES = /^(?:\d+\r?\n)?\d+:\d\d:\d\d,\d+ --> .*(?:\r?\n|$)/;

// Called once per thread, at first use. Import packages here, and list them in `needs.packages`.
export default function createReader({ kit }: Collaborators): Reader {
  // An unreadable file is the caller's mistake, and the caller reads this message; any other error goes to the log.
  const decode = (bytes: Uint8Array) => {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch (error) {
      throw kit.refusedError('The subtitles are not in UTF-8.', error);
    }
  };
  return {
    read({ bytes }, { signal }) {
      signal.throwIfAborted();
      const cues = decode(bytes)
        .trim()
        .split(/(?:\r?\n){2,}/);
      const text = cues.map((cue) => cue.replace(TIMES, '')).join('\n');
      return { text, mediaType: 'text/plain', encoding: 'utf-8', metadata: { cues: cues.length } };
    },
  };
}
