import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Cleanup, temporaryFolder } from './server.ts';
import { until } from './until.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const FLAGS = [
  'headless no-sandbox disable-gpu disable-quic disable-dev-shm-usage no-first-run disable-sync',
  'disable-background-networking disable-component-update remote-debugging-port=0',
].flatMap((flags) => flags.split(' ').map((flag) => `--${flag}`));

/** A page that a browser has opened. */
export type Page = Awaited<ReturnType<typeof openPage>>;

export interface Browser {
  open(url: string): Promise<Page>;
}

/** The path of a Chromium on this machine; CHROMIUM names another one. */
function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(':');
  const found = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [process.env.CHROMIUM ?? '', ...found].find((file) => file !== '' && existsSync(file));
}

/** A browser that the tests of a file share; without a Chromium on this machine they are to be skipped, with the reason. */
export async function openBrowser(
  t: Cleanup,
): Promise<{ readonly browser: Browser; readonly skip: string | false }> {
  const chromium = findChromium();
  if (chromium !== undefined) return { browser: await startBrowser(t, chromium), skip: false };
  const skip = 'there is no Chromium on this machine; CHROMIUM can name one';
  return { browser: { open: () => Promise.reject(new Error(skip)) }, skip };
}

/** Starts a Chromium without a window and speaks its DevTools protocol; ended after the test. */
async function startBrowser(t: Cleanup, chromium: string): Promise<Browser> {
  const profile = await temporaryFolder(t);
  const child = spawn(chromium, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  t.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const address = await until(() => /DevTools listening on (ws:\S+)/.exec(printed)?.[1]);
  const protocol = await connect(address);
  t.teardown(() => protocol.close());
  return { open: (url) => openPage(protocol, url) };
}

type Params = Record<string, unknown>;

/** The DevTools protocol of a browser. */
async function connect(address: string) {
  const socket = new WebSocket(address);
  const waiting = new Map<number, (message: { result?: unknown; error?: { message: string } }) => void>();
  const listeners = new Map<string, (method: string, params: Params) => void>();
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data));
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    else listeners.get(message.sessionId)?.(message.method, message.params);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  let calls = 0;
  return {
    send: <T>(method: string, params: Params = {}, sessionId?: string) =>
      new Promise<T>((resolve, reject) => {
        const id = ++calls;
        waiting.set(id, ({ result, error }) => {
          waiting.delete(id);
          if (error === undefined) resolve(result as never);
          else reject(new Error(`${method}: ${error.message}`));
        });
        socket.send(JSON.stringify({ id, method, params, sessionId }));
      }),
    listen(sessionId: string, listener: (method: string, params: Params) => void) {
      listeners.set(sessionId, listener);
    },
    close: () => socket.close(),
  };
}

async function openPage(protocol: Awaited<ReturnType<typeof connect>>, url: string) {
  const blank = { url: 'about:blank' };
  const { targetId } = await protocol.send<{ targetId: string }>('Target.createTarget', blank);
  const attached = { targetId, flatten: true };
  const { sessionId } = await protocol.send<{ sessionId: string }>('Target.attachToTarget', attached);
  const send = <T>(method: string, params: Params = {}) => protocol.send<T>(method, params, sessionId);
  const problems: string[] = [];
  const requests: string[] = [];
  const blocked: string[] = [];
  let isIdle = false;
  const hear = (method: string, params: Params) => {
    const problem = problemOf(method, params);
    if (problem !== undefined) problems.push(problem);
    if (method === 'Network.requestWillBeSent') requests.push((params.request as { url: string }).url);
    if (method === 'Page.lifecycleEvent' && params.name === 'networkIdle') isIdle = true;
    if (method === 'Target.attachedToTarget') void hearWorker(params.sessionId as string);
  };
  /** A worker waits until it is heard. */
  const hearWorker = async (worker: string) => {
    protocol.listen(worker, hear);
    const commands = ['Network.enable', 'Runtime.enable', 'Log.enable', 'Runtime.runIfWaitingForDebugger'];
    if (blocked.length > 0) commands.splice(1, 0, 'Network.setBlockedURLs');
    for (const command of commands) await protocol.send(command, { urls: blocked }, worker).catch(() => {});
  };
  protocol.listen(sessionId, hear);
  for (const domain of ['Network', 'Runtime', 'Log', 'Page']) await send(`${domain}.enable`);
  await send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
  await send('Page.setLifecycleEventsEnabled', { enabled: true });
  isIdle = false;
  await send('Page.navigate', { url });
  await until(() => isIdle);

  const evaluate = async <T>(expression: string): Promise<T> => {
    const call = { expression, returnByValue: true, awaitPromise: true };
    const { result } = await send<{ result: { value: T } }>('Runtime.evaluate', call);
    return result.value;
  };
  return {
    /** What went wrong: errors and warnings of the console, exceptions, requests that failed. */
    problems: problems as readonly string[],
    /** Addresses of all that was asked for. */
    requests: requests as readonly string[],
    /** Gives the value of an expression in the page. */
    evaluate,
    /** Lets requests of these addresses fail, in the page and in the workers that it starts from now on. */
    block: (urls: readonly string[]) => {
      blocked.push(...urls);
      return send('Network.setBlockedURLs', { urls: blocked });
    },
    /** Sends a command of the DevTools protocol, such as a key that is pressed. */
    send,
    /** Waits until an expression is true in the page. */
    until: async (expression: string) => void (await until(() => evaluate<boolean>(expression))),
  };
}

/** What an event tells of something that went wrong. */
function problemOf(method: string, params: Params): string | undefined {
  const details = JSON.stringify(params).slice(0, 500);
  const { entry, response, type } = params as {
    entry?: { level: string };
    response?: { status: number };
    type?: string;
  };
  const isProblem =
    method === 'Runtime.exceptionThrown' ||
    method === 'Network.loadingFailed' ||
    (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(type ?? '')) ||
    (method === 'Log.entryAdded' && ['error', 'warning'].includes(entry?.level ?? '')) ||
    (method === 'Network.responseReceived' && (response?.status ?? 0) >= 400);
  return isProblem ? `${method} ${details}` : undefined;
}
