FROM node:24-slim AS build
WORKDIR /app
# The image has its own Node, and only the script of Redoc is served, not the library with its peers.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --omit=peer
COPY core core
COPY plugins plugins
COPY server server
# Plugins of a trimmed image, as --plugins takes them; without it all are kept.
ARG PLUGINS=""
RUN if [ -n "$PLUGINS" ]; then \
      node server/cli/trim.ts "$PLUGINS" && npm prune --omit=dev --omit=optional --omit=peer; \
    fi

FROM node:24-slim
ENV NODE_ENV=production NODE_COMPILE_CACHE=/app/.cache
WORKDIR /app
COPY --from=build /app ./
COPY LICENSE ./
RUN mkdir data .cache && chown node:node data .cache
USER node
# Reads all plugins and opens a store, so that an incomplete image fails here, and fills the compile cache.
RUN DATA_DIR=/tmp/check node server/main.ts --check && rm -r /tmp/check
VOLUME /app/data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
  CMD ["node", "server/cli/health.ts"]
ENTRYPOINT ["node", "server/main.ts"]
