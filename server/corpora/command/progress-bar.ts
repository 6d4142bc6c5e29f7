import { clearLine, cursorTo } from 'node:readline';
import type { WriteStream } from 'node:tty';

/** Milliseconds between two frames. */
const FRAME = 100;
const WIDTH = 40;

/** A bar of a share from 0 to 1, with its percentage. */
export function barOf(share: number): string {
  const done = Math.round(share * WIDTH);
  return `${'█'.repeat(done)}${'░'.repeat(WIDTH - done)} ${Math.floor(share * 100)}%`;
}

/**
 * Keeps one line of a terminal current, cut at its width.
 *
 * @returns ends that and clears the line
 */
export function keepDrawn(terminal: WriteStream, line: () => string): () => void {
  const clear = () => {
    cursorTo(terminal, 0);
    clearLine(terminal, 0);
  };
  const draw = () => {
    const text = line().slice(0, terminal.columns || undefined);
    cursorTo(terminal, 0);
    terminal.write(text);
    clearLine(terminal, 1);
  };
  draw();
  const timer = setInterval(draw, FRAME).unref();
  return () => {
    clearInterval(timer);
    clear();
  };
}
