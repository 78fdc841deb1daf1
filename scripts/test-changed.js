// Checks types and runs the tests that are nearest to what changed: since the last commit, or since the commit that is
// named. With --watch it does so again after each change of a file.
import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path/posix'
import { parseArgs } from 'node:util'

const FOLDERS = ['src', 'client/src', 'sim', 'demo', 'bench', 'examples', 'test', 'scripts']
/** These import every domain: what is reached only through them is not related. */
const COMPOSITION = new Set(['src/app.ts', 'src/service.ts', 'src/main.ts'])
/** More would take longer than a maintainer waits, and so would the scenarios in test/; `npm test` runs all. */
const TESTS_MAX = 4
/** An editor writes several files at once. */
const SETTLE_MS = 150

const { values, positionals } = parseArgs({
  options: { watch: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const since = positionals[0] ?? 'HEAD'

if (values.watch) await watchFiles()
else process.exitCode = await check()

async function watchFiles() {
  let timer
  let running = check()
  for (const folder of FOLDERS) {
    watch(folder, { recursive: true }, () => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        running = running.then(check)
      }, SETTLE_MS)
    })
  }
  console.error('Watching for changes; Ctrl-C ends it.')
}

async function check() {
  const changed = listChanged()
  const { tests, left } = findTests(changed)
  const rest = left === 0 ? '' : `, the nearest of ${tests.length + left}`
  console.error(`${changed.length} changed files, ${tests.length} related test files${rest}`)
  const cache = 'node_modules/.cache/auspex-types.tsbuildinfo'
  const commands = [['tsc', '--incremental', '--tsBuildInfoFile', cache]]
  if (tests.length > 0) commands.push(['vitest', 'run', '--experimental.fsModuleCache', ...tests])
  const statuses = await Promise.all(commands.map(run))
  return Math.max(...statuses)
}

function run([command, ...args]) {
  const child = spawn(`node_modules/.bin/${command}`, args, { stdio: 'inherit' })
  return new Promise((resolve) => {
    child.on('exit', (code) => resolve(code ?? 1))
  })
}

/** Files that differ from the commit, and files that git does not know yet. */
function listChanged() {
  const ask = (...args) => spawnSync('git', args, { encoding: 'utf8' }).stdout.split('\n')
  const paths = [
    ...ask('diff', '--name-only', '--relative', since),
    ...ask('ls-files', '--others', '--exclude-standard'),
  ]
  return paths.filter((path) => path !== '')
}

/** The test files from which the fewest imports lead to a changed file; those beside it count as nearest. */
function findTests(changed) {
  const importers = readImporters()
  const distances = new Map(changed.map((path) => [path, 0]))
  for (const [path, distance] of distances) {
    if (COMPOSITION.has(path) && distance > 0) continue
    for (const importer of importers.get(path) ?? []) {
      if (!distances.has(importer)) distances.set(importer, distance + 1)
    }
  }
  const folders = new Set(changed.map((path) => join(path, '..')))
  for (const path of importers.keys()) {
    if (isTest(path) && folders.has(join(path, '..'))) distances.set(path, 0)
  }
  const related = [...distances]
    .filter(([path, distance]) => isTest(path) && (distance === 0 || !path.startsWith('test/')))
    .sort((a, b) => a[1] - b[1])
  const tests = related.slice(0, TESTS_MAX).map(([path]) => path)
  return { tests, left: related.length - tests.length }
}

function isTest(path) {
  return path.endsWith('.test.ts')
}

/** Path of each file -> the files that import it. */
function readImporters() {
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true })
      .map((path) => join(folder, path))
      .filter((path) => /\.(ts|js)$/.test(path) && !path.includes('node_modules')),
  )
  const importers = new Map(paths.map((path) => [path, []]))
  for (const path of paths) {
    const imports = readFileSync(path, 'utf8').matchAll(/(?:\bfrom |^import |\bimport\()'(\.[^']+)'/gm)
    for (const [, from] of imports) {
      const target = join(path, '..', from)
      const known = importers.get(target.replace(/\.js$/, '.ts')) ?? importers.get(target)
      known?.push(path)
    }
  }
  return importers
}
