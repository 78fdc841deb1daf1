import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { NO_UPSTREAMS } from '../bench/lib/no-upstreams.js'
import { removeServerFolders } from '../src/store/embedded/server-folders.js'
import { makeOpenFolder } from './open-folder.js'
import { waitForUrl } from './processes.js'
import { findProgram } from './system-programs.js'

const ROOT = resolve(import.meta.dirname, '..')
const readDeploy = (name: string) => readFileSync(join(ROOT, 'deploy', name), 'utf8')

/** The root of the image, in a plain folder. */
const image = makeOpenFolder('image')
const dataDir = join(image, 'data')
const restoredDir = join(image, 'restored')
const env = { PATH: process.env.PATH ?? '', ...NO_UPSTREAMS, AUSPEX_DATA: dataDir }
const program = join(image, 'usr/local/bin/auspex')

const auspex = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: image, env, encoding: 'utf8' })
  return { status, shown: stdout + stderr }
}

type Instruction = { name: string; text: string }

const readContainerfile = (): Instruction[] =>
  readDeploy('Containerfile')
    .replaceAll('\\\n', '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [name = '', ...rest] = line.split(' ')
      return { name, text: rest.join(' ') }
    })

/** No user is made in a test, and this checkout is installed and built already. */
const NOT_RUN = [/^useradd/, /^npm ci$/]

/** Follows the steps of the image: this checkout is `/build`, and a folder is `/`. */
beforeAll(() => {
  for (const folder of ['tmp', 'usr/local']) mkdirSync(join(image, folder), { recursive: true })
  const toHere = (text: string) =>
    text
      .replaceAll(/(?<=^| )\/build\//g, `${image}/build/`)
      .replaceAll(/(?<=^| )\/(tmp|data)/g, `${image}/$1`)
  for (const { name, text } of readContainerfile()) {
    if (name === 'COPY' && text.startsWith('--from=build')) run('cp', toHere(text).split(' ').slice(1))
    if (name !== 'RUN' || NOT_RUN.some((pattern) => pattern.test(text))) continue
    const [command = '', ...args] = toHere(text).split(' ')
    if (text === 'npm pack') pack(join(image, 'build'))
    else run(command, args)
  }
}, 300_000)

afterAll(() => {
  for (const folder of [dataDir, restoredDir]) if (existsSync(folder)) removeServerFolders(folder)
  rmSync(image, { recursive: true, force: true })
})

/** Without the build, which the tests have done. */
function pack(destination: string): void {
  mkdirSync(destination)
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', destination], ROOT)
}

function run(command: string, args: string[], cwd = image): void {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, npm_config_prefix: join(image, 'usr/local'), npm_config_prefer_offline: 'true' },
  })
  expect(status, `${command} ${args.join(' ')}\n${stdout}${stderr}`).toBe(0)
}

test('the package says its version and commit, and completes its commands', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  expect(auspex('--version')).toMatchObject({
    status: 0,
    shown: expect.stringMatching(/^\d+\.\d+\.\d+( \([0-9a-f]{8,}\))?\n$/),
  })
  expect(auspex('--version').shown).toContain(version)
  const script = auspex('completion', 'bash').shown
  const complete = (...words: string[]) =>
    spawnSync(
      'bash',
      [
        '-c',
        `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _auspex; echo "\${COMPREPLY[@]}"`,
        '_',
        ...words,
      ],
      { encoding: 'utf8' },
    ).stdout.trim()
  expect(complete('auspex', 'doc')).toBe('doctor')
  expect(complete('auspex', 'keys', 're')).toBe('revoke')
  expect(complete('auspex', 'up', '--po')).toBe('--port --polygon-url --polygon-ws-url')
  expect(auspex('completion', 'tcsh')).toMatchObject({
    status: 2,
    shown: expect.stringContaining('bash, zsh, fish'),
  })
})

/** Runs a script, whose argument is the file with the completions of that shell. */
function runShell(shell: string, script: string): string {
  const file = join(image, 'completions')
  writeFileSync(file, auspex('completion', basename(shell)).shown)
  const { stdout, stderr } = spawnSync(shell, ['-c', script, ...(/zsh/.test(shell) ? ['_'] : []), file], {
    encoding: 'utf8',
    env: { ...env, HOME: image, PATH: `${join(image, 'usr/local/bin')}:${env.PATH}` },
    timeout: 60_000,
  })
  return stdout + stderr
}

const zsh = findProgram('zsh')
test.skipIf(zsh === undefined)('zsh completes commands and flags', () => {
  const shown = runShell(
    zsh ?? '',
    `zmodload zsh/zpty
     zpty shell zsh -f -i
     zpty -w shell "source $1"
     zpty -w -n shell $'auspex keys cr\t'
     zpty -r shell line '*create*'
     zpty -w -n shell $'--acc\t'
     zpty -r shell line '*--account*'
     print -r -- "$line"
     zpty -d shell`,
  )
  expect(shown).toContain('--account')
})

const fish = findProgram('fish')
test.skipIf(fish === undefined)('fish completes commands and flags', () => {
  const shown = runShell(
    fish ?? '',
    `source $argv[1]; complete -C'auspex doc'; complete -C'auspex keys cr'; complete -C'auspex keys create --acc'`,
  )
  expect(shown.trim().split('\n')).toEqual(['doctor', 'create', '--account'])
})

test('the package runs a service in an empty folder, and doctor, backup and restore work on it', async () => {
  expect(auspex('doctor').shown).toMatch(/off +database +none yet/)
  const child = spawn(program, ['up', '--port', '0'], {
    cwd: image,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output: string[] = []
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()))
  try {
    await waitForUrl(child, output)
    expect(auspex('accounts', 'create', '--name', 'desk', '--plan', 'growth').status).toBe(0)
    const { status, shown } = auspex('doctor')
    expect(status).toBe(1)
    expect(shown).toMatch(/ok +data folder +.*in use by `auspex up`/)
    expect(shown).toMatch(/ok +database +embedded, PostgreSQL 18/)
    expect(shown).toMatch(/ok +schema +version \d+/)
    expect(shown).toMatch(/WARNING +polygon +AUSPEX_POLYGON_URL is not set\n +→ Set AUSPEX_POLYGON_URL/)
    expect(shown).toMatch(/FAILED +gamma +.*\n +→ /)
    expect(shown).toContain('Not everything works: gamma, ')
    expect(auspex('backup', join(image, 'backup.tar.gz'))).toMatchObject({ status: 0 })
  } finally {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  expect(auspex('restore', join(image, 'backup.tar.gz'), '--data', restoredDir)).toMatchObject({ status: 0 })
  expect(auspex('accounts', 'list', '--data', restoredDir).shown).toContain('desk')
})

test('the package has the client, the docs and what deploys it, and nothing of the tests', () => {
  const folder = join(image, 'usr/local/lib/node_modules/auspex')
  const has = (path: string) => existsSync(join(folder, path))
  expect(has('node_modules/auspex-client/dist/index.js')).toBe(true)
  expect(has('docs/api.md')).toBe(true)
  expect(has('deploy/compose.yaml')).toBe(true)
  expect(readdirSync(join(folder, 'dist')).sort()).toEqual(['bin', 'src'])
  expect(has('dist/bin/universe.js')).toBe(false)
})

test('the image runs as a user of its own, keeps its data in a volume and has a check of its health', () => {
  const instructions = readContainerfile()
  const textOf = (name: string) => instructions.findLast((each) => each.name === name)?.text
  expect(textOf('USER')).toBe('auspex')
  expect(textOf('VOLUME')).toBe('/data')
  expect(textOf('ENTRYPOINT')).toBe('["auspex"]')
  expect(textOf('HEALTHCHECK')).toContain(`:${textOf('EXPOSE')}/healthz`)
  expect(instructions).toContainEqual({ name: 'ENV', text: 'AUSPEX_DATA=/data' })
})

test('compose.yaml gives the service a database, Redis and a search, with settings that exist', () => {
  const { services, volumes } = parse(readDeploy('compose.yaml'))
  expect(Object.keys(services)).toEqual(['auspex', 'postgres', 'redis', 'searxng'])
  expect(Object.keys(volumes)).toEqual(['auspex', 'postgres'])
  expect(
    existsSync(join(ROOT, 'deploy', services.auspex.build.context, services.auspex.build.dockerfile)),
  ).toBe(true)
  const page = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8')
  for (const name of Object.keys(services.auspex.environment)) expect(page).toContain(`| \`${name}\``)
})

/** Names of metrics, without what Prometheus adds to those of histograms. */
const metricsIn = (text: string) =>
  [...text.matchAll(/auspex_[a-z0-9_]+/g)].map(([name]) => name.replace(/_(bucket|count|sum)$/, ''))

test('the dashboard and the alerts ask for metrics that the docs have', () => {
  const docs = ['operations', 'upstreams']
    .map((name) => readFileSync(join(ROOT, `docs/${name}.md`), 'utf8'))
    .join('')
  const known = new Set(metricsIn(docs))
  const isKnown = (name: string) => known.has(name) || /^auspex_(process|nodejs)_/.test(name)
  const { panels } = JSON.parse(readDeploy('grafana-dashboard.json'))
  const asked = metricsIn(JSON.stringify(panels))
  expect(asked.length).toBeGreaterThan(30)
  expect(asked.filter((name) => !isKnown(name))).toEqual([])

  const { groups } = parse(readDeploy('prometheus-alerts.yaml'))
  const alerts: { expr: string; for?: string }[] = groups[0].rules
  const table = docs.slice(docs.indexOf('### What to alert on'), docs.indexOf('### Warnings'))
  const rows = [...table.matchAll(/^\| `(.+?)` +\| (at once|(\d+) minutes?) +\|/gm)]
  expect(alerts.map(({ expr, for: minutes = 'at once' }) => [expr, minutes])).toEqual(
    rows.map(([, expr, when, minutes]) => [expr, minutes === undefined ? when : `${minutes}m`]),
  )
})

const promtool = findProgram('promtool')

test.skipIf(promtool === undefined)('promtool accepts the alerts', () => {
  const args = ['check', 'rules', join(ROOT, 'deploy/prometheus-alerts.yaml')]
  const { status, stdout, stderr } = spawnSync(promtool ?? '', args, { encoding: 'utf8' })
  expect(status, stdout + stderr).toBe(0)
})

const systemd = findProgram('systemd-analyze')

test.skipIf(systemd === undefined)('systemd accepts the unit', () => {
  const { stderr } = spawnSync(systemd ?? '', ['verify', join(ROOT, 'deploy/auspex.service')], {
    encoding: 'utf8',
  })
  // The program is not installed here.
  expect(
    stderr
      .split('\n')
      .filter((line) => /auspex\.service/.test(line) && !/not executable|not found/.test(line)),
  ).toEqual([])
})
