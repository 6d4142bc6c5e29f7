import { type Reader, refusedError, type SourcePlace } from 'chunksmith/kit';
import { decodeUnicode } from 'chunksmith/toolkit';

const TIME = /^\[(\d+):(\d+(?:\.\d+)?)\]/;

// Called once per thread, at first use. Import packages here, and list them in `needs.packages`.
export default function createReader(): Reader {
  return {
    read(file, { signal }) {
      signal.throwIfAborted();
      const decoded = decodeUnicode(file);
      // An unreadable file is the caller's mistake, and the caller reads this message; any other error goes to the log.
      if (decoded.text.includes('\0')) throw refusedError('The song cannot be read: it is not a text.');
      const places: SourcePlace[] = [];
      let text = '';
      for (const line of decoded.text.split(/\r\n|\r|\n/)) {
        const [time = '', minutes, seconds] = TIME.exec(line) ?? [];
        const start = text.length;
        text += `${line.slice(time.length)}\n`;
        const start_time = Number(minutes) * 60 + Number(seconds);
        if (time !== '') places.push({ start, end: text.length, start_time });
      }
      return { text, places, mediaType: 'text/plain', encoding: decoded.encoding };
    },
  };
}
