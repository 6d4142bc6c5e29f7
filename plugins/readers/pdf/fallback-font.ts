import { inflateSync } from 'node:zlib';

/**
 * A TrueType font that draws a box for each character, and says that it has the ideographs of China, Japan and Korea. PDFium
 * leaves out a text that it draws nothing for, such as one ideograph in a font that the file does not contain.
 */
const FONT =
  'eNpjYGRgYOBkaGBgZhDwD9Y3YoCAOUAclpybWADlfwFijfScyjQIl1EGSKhkpCamQPkOQMIsAygA5VeA5XNLKqB8kHkcOfnJMPklQIItN7ECaj' +
  '7jGiChkJeYmwrlnwESWgyMzC8YJzCwMpAMFICAwYFB4f9/5oL/HQwMzAUMFQx2SAoYgf7lAtI8DLxgvgxcHKiZQeD/fzCbkcHo/xzmbcxBQNUM' +
  'jEDAAAwf5hYGBpAoA8MfL6gORojmeH6brwzMzC8wnAMzBRgGDEwIm6BuA6sHmseIposJJAPEkDgRgtrDxMACVcmIxeNMDHJwWVa4GiYGdgZWp/' +
  'yK1OKg1PTSnMQiBgYAinw2uA==';

/** Calls of the system, by which PDFium looks for fonts. Paths are pointers. */
export interface SystemCalls {
  __syscall_openat: (folder: number, path: number, flags: number, mode: number) => number;
  __syscall_stat64: (path: number, result: number) => number;
  readonly fd_write: (file: number, parts: number, count: number, written: number) => number;
  readonly fd_close: (file: number) => number;
}

interface Memory {
  readonly HEAPU8: Uint8Array;
  readonly HEAP32: Int32Array;
  readonly _malloc: (bytes: number) => number;
  readonly _free: (pointer: number) => void;
}

/** Where PDFium looks for fonts, and the folder that its file system has. */
const WANTED = '/usr/share/fonts';
const OWN = '/tmp';
const NO_FOLDER = -100;
const WRITE = 0o1 | 0o100;
const MAX_PATH = 200;

/** Puts the font where PDFium finds it. Must be called before PDFium is initialized. */
export function putFallbackFont(env: SystemCalls, memory: Memory): void {
  const path = memory._malloc(MAX_PATH);
  const put = (text: string): number => {
    memory.HEAPU8.set(new TextEncoder().encode(`${text.slice(0, MAX_PATH - 1)}\0`), path);
    return path;
  };
  const placed = (pointer: number): number => {
    const bytes = memory.HEAPU8.subarray(pointer, pointer + MAX_PATH);
    const text = new TextDecoder('latin1').decode(bytes.subarray(0, Math.max(bytes.indexOf(0), 0)));
    return text.startsWith(WANTED) ? put(OWN + text.slice(WANTED.length)) : pointer;
  };
  const { __syscall_openat: open, __syscall_stat64: stat } = env;
  const font = inflateSync(Buffer.from(FONT, 'base64'));
  const data = memory._malloc(font.length + 16);
  memory.HEAPU8.set(font, data + 16);
  memory.HEAP32.set([data + 16, font.length, 0, 0o666], data >> 2);
  const file = open(NO_FOLDER, put(`${OWN}/boxes.ttf`), WRITE, data + 12);
  env.fd_write(file, data, 1, data + 8);
  env.fd_close(file);
  memory._free(data);
  env.__syscall_openat = (folder, at, flags, mode) => open(folder, placed(at), flags, mode);
  env.__syscall_stat64 = (at, result) => stat(placed(at), result);
}
