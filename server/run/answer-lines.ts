import { failedLine, type LineAnswers } from './line-answers.ts';
import { LineGroups, type LineStream } from './line-groups.ts';

/**
 * Answers the lines of a stream in their order. It reads no further than it works, and works no further than its
 * answers are taken, so that memory does not grow with the stream.
 *
 * @throws ServiceError what is wrong with the whole request, as long as no line was answered; afterwards it stands in
 *   the answers to the lines, or in a last one if the stream cannot be read on; without answers, that is thrown
 */
export async function* answerLines(stream: LineStream): AsyncGenerator<LineAnswers> {
  const { reader, signal, plan } = stream;
  const groups = new LineGroups(stream);
  let reading: Promise<void> | undefined;
  let broken: { readonly error: unknown } | undefined;
  const read = async () => {
    try {
      await reader.read();
    } catch (error) {
      broken = { error };
    }
    reading = undefined;
  };
  for (;;) {
    groups.start();
    const answer = groups.shift();
    if (answer !== undefined) {
      yield answer;
      continue;
    }
    if (groups.wantsMore && !reader.isOver && broken === undefined) reading ??= read();
    const awaited = [groups.oldest, reading].filter((one) => one !== undefined);
    if (awaited.length === 0) break;
    await Promise.race(awaited);
    signal.throwIfAborted();
  }
  if (broken === undefined) return;
  if (!groups.hasAnswered || plan.writes !== undefined) throw broken.error;
  stream.onFailure(broken.error);
  yield failedLine(plan, { index: groups.next }, broken.error);
}
