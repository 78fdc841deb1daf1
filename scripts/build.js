// Compiles into dist/, and copies beside the code what the service reads as it is. Runs before every `npm run` command:
// when no file changed since the last build it does nothing, and otherwise it says what the wait is for.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

/** What `include` of tsconfig.build.json names, and what decides how it is compiled. */
const SOURCES = ['src', 'sim', 'demo', 'bench']
const SETTINGS = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', 'scripts/build.js']
/** Holds the fingerprint of the files that dist/ was built from. */
const STAMP = 'dist/.built'

const files = SOURCES.flatMap(listFiles)
const fingerprint = fingerprintOf([...SETTINGS, ...files])
if (readStamp() !== fingerprint) {
  console.error('Building Auspex: half a minute the first time, seconds after a change …')
  rmSync(STAMP, { force: true })
  const { status } = spawnSync('node_modules/.bin/tsc', ['-p', 'tsconfig.build.json'], {
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(status ?? 1)
  const assets = files.filter(isAsset)
  for (const asset of assets) {
    mkdirSync(join('dist', dirname(asset)), { recursive: true })
    cpSync(asset, join('dist', asset))
  }
  // A migration that was renamed must not run twice.
  const copies = listFiles('dist/src').filter((path) => isAsset(relative('dist', path)))
  const wanted = new Set(assets.map((asset) => join('dist', asset)))
  for (const copy of copies.filter((path) => !wanted.has(path))) rmSync(copy)
  writeFileSync(STAMP, fingerprint)
}

function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

/** Times and sizes, not contents: reading those takes longer than the whole check. */
function fingerprintOf(paths) {
  const hash = createHash('sha256')
  for (const path of paths) {
    const { mtimeMs, size } = statSync(path)
    hash.update(`${path} ${mtimeMs} ${size}\n`)
  }
  return hash.digest('hex')
}

function readStamp() {
  try {
    return readFileSync(STAMP, 'utf8')
  } catch {
    return undefined
  }
}

function isAsset(path) {
  return path.startsWith('src/') && (path.endsWith('.sql') || basename(path) === 'examples.json')
}
