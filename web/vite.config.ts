import { defineConfig } from 'vite'

/** `npm run dev:web` serves the pages by Vite and asks the service, such as the demo, for everything else. */
const SERVICE = process.env.AUSPEX_URL ?? 'http://127.0.0.1:8080'

export default defineConfig({
  root: import.meta.dirname,
  // No file becomes part of another as `data:`, which the policy of the pages does not allow for scripts and fonts.
  build: { outDir: '../dist/web', emptyOutDir: true, assetsInlineLimit: 0, target: 'es2022', modulePreload: { polyfill: false } },
  esbuild: { jsx: 'automatic' },
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/v2', '/v3', '/ws', '/docs', '/openapi.json', '/asyncapi.json'].map((path) => [
        path,
        { target: SERVICE, changeOrigin: true, ws: path === '/ws' },
      ]),
    ),
  },
})
