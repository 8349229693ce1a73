# One image for every role; docker-compose.yml chooses the command.
FROM node:24-bookworm-slim AS build
WORKDIR /atelier
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:24-bookworm-slim
ENV NODE_ENV=production NODE_OPTIONS=--enable-source-maps
WORKDIR /atelier
COPY --from=build --chown=root:root /atelier/package.json ./
COPY --from=build --chown=root:root /atelier/node_modules ./node_modules
COPY --from=build --chown=root:root /atelier/dist ./dist
COPY --from=build --chown=root:root /atelier/assets ./assets
RUN mkdir -p /var/lib/atelier && chown node:node /var/lib/atelier
USER node
VOLUME /var/lib/atelier
EXPOSE 3000
CMD ["node", "dist/apps/api/src/main.js"]
