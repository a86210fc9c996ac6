# The tool as an image: mount a configuration at /app/config.yaml, and start compiles it and runs the service.
# An image by its digest: docker build --build-arg NODE_IMAGE=node:24-slim@sha256:…
ARG NODE_IMAGE=node:24-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /apikiln
COPY package.json package-lock.json LICENSE ./
RUN npm ci
COPY tsconfig.json ./
COPY compiler ./compiler
COPY runtime ./runtime
RUN npm run build && npm prune --omit=dev

FROM ${NODE_IMAGE}
ENV NODE_ENV=production MANAGEMENT_PORT=8081
WORKDIR /apikiln
COPY LICENSE ./
COPY --from=build /apikiln/package.json ./
COPY --from=build /apikiln/node_modules ./node_modules
COPY --from=build /apikiln/dist ./dist
COPY runtime ./runtime
COPY templates ./templates
COPY docs ./docs
WORKDIR /app
# Nothing is written but a folder in /tmp.
USER 1000:1000
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=15s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.MANAGEMENT_PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/apikiln/dist/compiler/cli.js"]
CMD ["serve"]
