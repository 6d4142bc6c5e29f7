import plugin from 'fastify-plugin';

/** Milliseconds for the first requests before the factories are imported, which takes a core for a while. */
const HEAD_START = 1000;

/** Imports the factories of all plugins soon after the server listens, and logs which of them cannot be imported. */
export const pluginCheck = plugin(
  async (app) => {
    const { importCheck } = app.chunksmith;
    let timer: NodeJS.Timeout | undefined;
    const check = async () => {
      for (const [id, failure] of await importCheck.failures()) {
        app.log.error({ plugin: id, ...failure }, 'a plugin cannot be imported');
      }
    };
    app.addHook('onListen', async () => {
      timer = setTimeout(check, HEAD_START);
    });
    app.addHook('preClose', async () => clearTimeout(timer));
  },
  { name: 'chunksmith-plugin-check', dependencies: ['chunksmith-services'] },
);
