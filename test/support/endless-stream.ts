import { openStream } from './streams.ts';

/**
 * Run as a process: endless-stream.ts <url of a route>. Sends documents without end, reads their answers, and prints a
 * line when a hundred are there; to be killed then.
 */

const stream = openStream(process.argv[2] as string);
const send = async () => {
  await stream.send({});
  for (let index = 0; ; index++) await stream.send({ text: `endless ${index} ${'x'.repeat(2000)}` });
};
void send();
for (let answers = 0; (await stream.next()) !== undefined; answers++) {
  if (answers === 100) console.log('under way');
}
