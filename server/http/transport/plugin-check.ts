import plugin from 'fastify-plugin';

/** Milliseconds for the first requests before the factories are imported, which occupies a core for a while. */
const HEAD_START = 1000;

/**
 * Soon after the server listens, imports the factories of all plugins and creates those that load little: so the log
 * says, before any request, which of them cannot be imported and what is wrong with the files that they read.
 */
export const pluginCheck = plugin(
  async (app) => {
    const { importCheck, registry, host } = app.chunksmith;
    let timer: NodeJS.Timeout | undefined;
    let isClosing = false;
    const check = async () => {
      const failures = await importCheck.failures();
      for (const [id, failure] of failures) {
        app.log.error({ plugin: id, ...failure }, 'a plugin cannot be imported');
      }
      for (const { id, manifest, missing } of registry.all) {
        if (!manifest.light || missing.length > 0 || failures.has(id) || isClosing) continue;
        await host.get(manifest.kind, manifest.name).catch((err: unknown) => {
          app.log.error({ plugin: id, err }, 'a plugin cannot be created');
        });
      }
    };
    app.addHook('onListen', async () => {
      timer = setTimeout(check, HEAD_START);
    });
    app.addHook('preClose', async () => {
      isClosing = true;
      clearTimeout(timer);
    });
  },
  { name: 'chunksmith-plugin-check', dependencies: ['chunksmith-services'] },
);
