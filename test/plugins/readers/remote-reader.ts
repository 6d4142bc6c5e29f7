import type { Test } from 'tap';
import type { Collaborators } from '../../../core/contracts/plugin.ts';
import type { Reader, SourceFile } from '../../../core/contracts/reader.ts';
import { collaborators } from '../../../server/testing/collaborators.ts';
import { never, type Reply, send, startHost } from '../../support/hosted-host.ts';
import { setVariables } from '../../support/variables.ts';
import { checkPromises, hostedQuickly, testAddress } from '../remote.ts';

type Create = (given: Collaborators) => Reader | Promise<Reader>;

export const PDF = new TextEncoder().encode('%PDF-1.7 of a test');

/** Answers so each time. */
export const always =
  (status: number, body: object = {}): Reply =>
  (_, response) =>
    send(response, status, body);

/** A stand-in for the service, and a reader that is set to it. */
export async function startReader(
  t: Test,
  create: Create,
  variable: string,
  reply: Reply,
  env: Readonly<Record<string, string>> = {},
) {
  const { asked, url } = await startHost(t, reply);
  const given = { env: { [variable]: `${url}/`, ...env }, hosted: hostedQuickly() };
  const reader = await create(collaborators(given));
  const reports: string[][] = [];
  const read = async (more: Partial<SourceFile> = {}, signal = never) => {
    const file = { bytes: PDF, name: 'report.pdf', mediaType: undefined, charset: undefined, ...more };
    return reader.read(file, { report: (...one) => reports.push(one), signal, options: {} });
  };
  return { asked, read, reports };
}

interface Service {
  /** Its name in messages. */
  readonly title: string;
  /** Answers with a text. */
  readonly reply: Reply;
  /** Answers that say that a file cannot be read. */
  readonly refused: readonly (readonly [Reply, RegExp])[];
  /** Those of a service that is another one. */
  readonly failed: readonly (readonly [Reply, RegExp])[];
}

/** What tests of readers share that have a service read. */
export function testRemoteReader(
  t: Test,
  name: string,
  variable: string,
  create: Create,
  service: Service,
): void {
  const start = (t: Test, reply: Reply) => startReader(t, create, variable, reply);
  testFailures(t, start, service);

  t.test('it waits while the service is busy', async (t) => {
    const { asked, read } = await start(t, (asked, response, count) => {
      if (count === 1) send(response, 429, {}, { 'retry-after': '0.01' });
      else if (count === 2) send(response, 503, {});
      else service.reply(asked, response, count);
    });
    t.type((await read()).text, 'string');
    t.equal(asked.length, 3);
  });

  t.test('a caller that goes away ends the call', { timeout: 5000 }, async (t) => {
    const gone = new AbortController();
    const closed = Promise.withResolvers<void>();
    const { asked, read } = await start(t, (_, response) => {
      response.once('close', closed.resolve);
      gone.abort(new Error('gone'));
    });
    await t.rejects(read({}, gone.signal), { message: 'gone' });
    await closed.promise;
    t.equal(asked.length, 1);
  });

  testAddress(t, 'reader', name, variable, create);

  t.test('it keeps the promises of readers', async (t) => {
    setVariables(t, { [variable]: (await startHost(t, service.reply)).url });
    t.match(await checkPromises('reader', name, { runs: 30 }), /30 files/);
  });
}

function testFailures(
  t: Test,
  start: (t: Test, reply: Reply) => ReturnType<typeof startReader>,
  { title, refused, failed }: Service,
): void {
  t.test('a file that it cannot read is a mistake of the caller, with its reason', async (t) => {
    for (const [reply, message] of refused) {
      const { asked, read } = await start(t, reply);
      await t.rejects(read(), { expose: true, statusCode: 400, message });
      t.equal(asked.length, 1);
    }
    const { asked, read } = await start(t, () => {});
    await t.rejects(read({ bytes: new Uint8Array() }), { statusCode: 400, message: /it is empty/ });
    t.equal(asked.length, 0);
  });

  t.test('a service that is down, or that is another one, is no mistake of the caller', async (t) => {
    const passing: typeof failed = [
      [always(503), new RegExp(`${title} answered 503`)],
      [(_, response) => response.destroy(), new RegExp(`${title}: the connection failed`)],
      [
        (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
        /connection failed/,
      ],
    ];
    for (const [reply, message] of [...failed, ...passing]) {
      const { asked, read } = await start(t, reply);
      await t.rejects(read(), { expose: true, statusCode: undefined, message });
      t.equal(asked.length, passing.some(([one]) => one === reply) ? 3 : 1, String(message));
    }
  });
}
