# Builds for other processors without emulating them: nothing runs in the image itself.
FROM --platform=$BUILDPLATFORM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=peer
COPY core core
COPY plugins plugins
COPY server server
COPY test/tools test/tools
COPY tsconfig.json ./
# Plugins of a trimmed image, as --plugins takes them; without it all are kept.
ARG PLUGINS=""
# Whether a trimmed image can open buckets: 23 MB.
ARG BUCKETS=""
RUN if [ -n "$PLUGINS" ]; then node test/tools/trim.ts ${BUCKETS:+--buckets} "$PLUGINS"; fi
RUN npm run build && mkdir data .cache && chown node:node data .cache
# Of the packages, the image has what the program reads on a machine of its kind.
ARG TARGETARCH
RUN cpu=$(echo "$TARGETARCH" | sed s/amd64/x64/) && \
  npm prune --omit=dev --omit=peer --os=linux --cpu="$cpu" && node test/tools/slim.ts "$cpu" && \
  rm -r core plugins server test tsconfig.json
# Reads all plugins and opens a store, so that an incomplete image fails here, and fills the compile cache, which is
# that of a user, a path and a processor: an image for another one compiles when it is started.
USER node
RUN [ "$TARGETARCH" != "$(dpkg --print-architecture)" ] || \
  NODE_ENV=production NODE_COMPILE_CACHE=/app/.cache DATA_DIR=/tmp/check node build/server/main.js --check

# The platform is that of the build, but older Podman takes that of the stage before if none is named.
FROM --platform=$TARGETPLATFORM node:24-slim
ENV NODE_ENV=production NODE_COMPILE_CACHE=/app/.cache
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/build build
COPY --from=build --chown=node:node /app/data data
COPY --from=build --chown=node:node /app/.cache .cache
COPY package.json LICENSE ./
USER node
VOLUME /app/data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
  CMD ["node", "build/server/cli/health.js"]
ENTRYPOINT ["node", "build/server/main.js"]
