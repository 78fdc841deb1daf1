import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

/** `npm run dev:web` serves the pages by Vite and asks the service, such as the demo, for everything else. */
const SERVICE = process.env.AUSPEX_URL ?? 'http://127.0.0.1:8080'
const OUT_DIR = join(import.meta.dirname, '../dist/src/web')

/** The service sends what the build has compressed once. */
const compressFiles: Plugin = {
  name: 'compress-files',
  apply: 'build',
  closeBundle() {
    for (const name of readdirSync(OUT_DIR, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(html|js|css|svg)$/.test(name)) continue
      const path = join(OUT_DIR, name)
      const content = readFileSync(path)
      writeFileSync(`${path}.br`, brotliCompressSync(content))
      writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
    }
  },
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [compressFiles],
  build: {
    outDir: OUT_DIR,
    emptyOutDir: true,
    // No file becomes part of another as `data:`, which the policy of the pages does not allow.
    assetsInlineLimit: 0,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rollupOptions: {
      onwarn: (warning, warn) => {
        // Of libraries that also run on servers.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning)
      },
    },
  },
  esbuild: { jsx: 'automatic' },
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/v2', '/v3', '/ws', '/docs', '/openapi.json', '/asyncapi.json'].map((path) => [
        path,
        { target: SERVICE, ws: path === '/ws' },
      ]),
    ),
  },
})
