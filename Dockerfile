# One image for every role: the API by default, and docker-compose.yml says what else. The tag is that of the package
# `node` in package.json, so that production runs the Node that everything was tested on.
FROM node:24.21.0-bookworm-slim AS manifests
WORKDIR /atelier
COPY package.json package-lock.json .npmrc ./
COPY packages/create-atelier/package.json ./packages/create-atelier/
COPY packages/engine/package.json ./packages/engine/
COPY packages/mcp/package.json ./packages/mcp/
COPY packages/photo/package.json ./packages/photo/
COPY packages/sketch/package.json ./packages/sketch/
COPY packages/vendors/package.json ./packages/vendors/
COPY clients/typescript/package.json ./clients/typescript/
COPY apps/console/package.json ./apps/console/

FROM manifests AS build
RUN npm ci
COPY . .
RUN npm run build

# What only a checkout needs is a development dependency. The client and the console are no part of this service.
FROM manifests AS production
RUN npm ci --omit=dev --include-workspace-root \
  --workspace=packages/engine --workspace=packages/photo --workspace=packages/sketch --workspace=packages/vendors

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
COPY --from=production /atelier/package.json ./
COPY --from=production /atelier/node_modules ./node_modules
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
COPY --from=build /atelier/dist/chunks ./dist/chunks
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
