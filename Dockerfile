FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=peer
COPY core core
COPY plugins plugins
COPY server server
COPY tsconfig.json ./
# Plugins of a trimmed image, as --plugins takes them; without it all are kept.
ARG PLUGINS=""
# Whether a trimmed image can open buckets: 23 MB.
ARG BUCKETS=""
RUN if [ -n "$PLUGINS" ]; then node server/cli/tools/trim.ts ${BUCKETS:+--buckets} "$PLUGINS"; fi
# Of the packages, the image has what the program reads on a machine of its kind.
RUN npm run build && npm prune --omit=dev --omit=peer && node server/cli/tools/slim.ts

FROM node:24-slim
ENV NODE_ENV=production NODE_COMPILE_CACHE=/app/.cache
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/build build
COPY package.json LICENSE ./
RUN mkdir data .cache && chown node:node data .cache
USER node
# Reads all plugins and opens a store, so that an incomplete image fails here, and fills the compile cache.
RUN DATA_DIR=/tmp/check node build/server/main.js --check && rm -r /tmp/check
VOLUME /app/data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
  CMD ["node", "build/server/cli/health.js"]
ENTRYPOINT ["node", "build/server/main.js"]
