// Compiles into dist/ and client/dist/, packs the pages of web/ into dist/src/web/ and the programs into dist/bin/, and copies
// beside the code what the service reads as it is. Runs before every `npm run` command: when no file changed since the last
// build it does nothing, and otherwise it says what the wait is for.
// The client has types that are generated from the documents of the service, and commands of the service use the client:
// so the service is compiled first without a check of types, then the client, and then the types of the service are checked.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { bundlePrograms } from './bundle.js'

/** What `include` of tsconfig.build.json names, and what decides how it is compiled. */
const SOURCES = ['src', 'sim', 'demo', 'bench', 'examples', 'test/universes']
const CLIENT_SOURCES = ['client/src', 'client/scripts', 'client/package.json', 'client/tsconfig.json']
const WEB_SOURCES = ['web/src', 'web/index.html', 'web/package.json', 'web/vite.config.ts']
const SCRIPTS = ['scripts/build.js', 'scripts/bundle.js', 'scripts/write-documents.js']
const SETTINGS = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json']
/** Holds the fingerprint of the files that dist/ and client/dist/ were built from. */
const STAMP = 'dist/.built'
/** The same where the types of those files were not checked: what called the build with `--unchecked` checks them beside the tests. */
const UNCHECKED_STAMP = 'dist/.built-unchecked'
/** What the types of the client are generated from. */
const DOCUMENTS = 'dist/documents'
const GENERATED = 'client/src/generated'

/** Holds the fingerprint of what client/dist/ was built from. */
const CLIENT_STAMP = 'client/dist/.built'

/** Holds the fingerprint of what the pages were built from. */
const WEB_STAMP = 'dist/.built-web'

const files = SOURCES.flatMap(listFiles)
const webFiles = WEB_SOURCES.flatMap(listFiles)
const clientFiles = CLIENT_SOURCES.flatMap(listFiles).filter((path) => !path.startsWith(GENERATED))
const fingerprint = fingerprintOf([...SETTINGS, ...SCRIPTS, ...clientFiles, ...webFiles, ...files])
const isUnchecked = process.argv.includes('--unchecked')
const isCompiled = [STAMP, UNCHECKED_STAMP].some((stamp) => readText(stamp) === fingerprint)
if (!isCompiled || readText(CLIENT_STAMP) === undefined) {
  console.error('Building Auspex: half a minute the first time, seconds after a change …')
  for (const stamp of [STAMP, UNCHECKED_STAMP]) rmSync(stamp, { force: true })
  compile('tsconfig.build.json', '--noCheck')
  copyAssets()
  buildClient()
  buildPages()
  await bundlePrograms()
  writeFileSync(UNCHECKED_STAMP, fingerprint)
}
if (!isUnchecked && readText(STAMP) !== fingerprint) {
  compile('tsconfig.build.json')
  writeFileSync(STAMP, fingerprint)
}
writeCommit()

/** What `auspex --version` names. A commit alone changes no file, so this is written with or without a build. */
function writeCommit() {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' })
  if (status === 0) writeFileSync('dist/src/commit.txt', stdout)
  else rmSync('dist/src/commit.txt', { force: true })
}

function buildClient() {
  run(process.execPath, 'scripts/write-documents.js', DOCUMENTS)
  const builtFrom = fingerprintOf([...SETTINGS, ...clientFiles]) + digestOf(listFiles(DOCUMENTS))
  if (readText(CLIENT_STAMP) === builtFrom) return
  rmSync('client/dist', { recursive: true, force: true })
  run(process.execPath, 'client/scripts/generate-types.js', DOCUMENTS)
  compile('client')
  writeFileSync(CLIENT_STAMP, builtFrom)
}

function buildPages() {
  const builtFrom = fingerprintOf([...SETTINGS, ...webFiles]) + readText(CLIENT_STAMP)
  if (readText(WEB_STAMP) === builtFrom) return
  rmSync(WEB_STAMP, { force: true })
  run('node_modules/.bin/vite', 'build', 'web', '--logLevel', 'warn')
  writeFileSync(WEB_STAMP, builtFrom)
}

function compile(project, ...options) {
  run('node_modules/.bin/tsc', '-p', project, ...options)
}

function run(command, ...args) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

function copyAssets() {
  const assets = files.filter(isAsset)
  for (const asset of assets) {
    mkdirSync(join('dist', dirname(asset)), { recursive: true })
    cpSync(asset, join('dist', asset))
  }
  // A migration that was renamed must not run twice.
  const copies = listFiles('dist/src').filter((path) => isAsset(relative('dist', path)))
  const wanted = new Set(assets.map((asset) => join('dist', asset)))
  for (const copy of copies.filter((path) => !wanted.has(path))) rmSync(copy)
}

/** The files of a folder, or the file itself. */
function listFiles(path) {
  if (statSync(path).isFile()) return [path]
  return readdirSync(path, { withFileTypes: true, recursive: true })
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

function digestOf(paths) {
  const hash = createHash('sha256')
  for (const path of paths) hash.update(readFileSync(path))
  return hash.digest('hex')
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function isAsset(path) {
  return path.startsWith('src/') && (path.endsWith('.sql') || basename(path) === 'examples.json')
}
