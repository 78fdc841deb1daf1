import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, transformWithEsbuild } from 'vite'
import { expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
const ENTRY = join(ROOT, 'client/dist/index.js')
const BYTES_MAX = 10_000

/** A program that imports this of the client, as a page gets it: in one file, minified and compressed. */
async function measure(imported: string): Promise<{ bytes: number; code: string }> {
  const bundle = await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, minify: false, target: 'es2022', rollupOptions: { input: 'page' } },
    plugins: [
      {
        name: 'page',
        resolveId: (id) => (id === 'page' ? id : null),
        load: (id) =>
          id === 'page' ? `import { ${imported} } from '${ENTRY}'; console.log(${imported})` : null,
      },
    ],
  })
  const outputs = [bundle].flat().flatMap((each) => ('output' in each ? each.output : []))
  const code = outputs.map((output) => ('code' in output ? output.code : '')).join('')
  const minified = await transformWithEsbuild(code, 'page.js', { minify: true, target: 'es2022' })
  return { bytes: gzipSync(minified.code).length, code: minified.code }
}

test('the whole client is at most 10 KB, and a page that verifies webhooks alone gets nothing else', async () => {
  const { bytes, code } = await measure('AuspexClient, AuspexError, verifyWebhook')
  expect(bytes).toBeLessThan(BYTES_MAX)
  expect(code).toContain('by_subscription')
  const small = await measure('verifyWebhook')
  expect(small.code).not.toContain('by_subscription')
  expect(small.bytes).toBeLessThan(2_000)
})

/** The files that `npm pack` would put into the package. */
function listPacked(): string[] {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--workspace', 'client']
  const run = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8' })
  const [{ files }] = JSON.parse(run.stdout) as [{ files: { path: string }[] }]
  return files.map(({ path }) => path)
}

test('the package of the client has its code, its types and its license, and nothing else', () => {
  const files = listPacked()
  const others = files.filter((path) => !/^dist\/[\w/-]+(\.d\.ts|\.js)$/.test(path))
  expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json'])
  expect(files).toEqual(
    expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'dist/generated/openapi.d.ts']),
  )
  expect(files.filter((path) => /test/.test(path))).toEqual([])
})
