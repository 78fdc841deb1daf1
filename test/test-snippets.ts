import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { transformSync } from 'esbuild'
import { beforeAll, expect, type TestContext, test, vi } from 'vitest'
import type { DemoFile } from '../demo/demo-file.js'
import { STREAM_SAMPLES } from '../src/stream/asyncapi/samples.js'
import { type PythonEnvironment, preparePython } from './python-environment.js'

const ROOT = join(import.meta.dirname, '..')
const PAGES = [
  ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`),
  'README.md',
  'examples/README.md',
]
const LANGUAGES = ['sh', 'console', 'ts', 'js', 'python', 'py']

type Snippet = { page: string; line: number; language: string; code: string; assignments: string[] }

/** A line that only names values, which later snippets of the page use. */
const ASSIGNMENT = /^(export )?\w+=(\$\(.*\)|\S+)$/

const SNIPPETS: readonly Snippet[] = PAGES.flatMap((page) => {
  const text = readFileSync(join(ROOT, page), 'utf8')
  const assignments: string[] = []
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(
    ({ 1: language = '', 2: code = '', index }) => {
      if (!LANGUAGES.includes(language)) return []
      const line = text.slice(0, index).split('\n').length
      const snippet = { page, line, language, code, assignments: [...assignments] }
      if (language === 'sh') assignments.push(...code.split('\n').filter((each) => ASSIGNMENT.test(each)))
      return [snippet]
    },
  )
})

const OF_THE_BUILD = 'it installs and builds the repository, as .ci/run does'
const STARTS = 'it starts a service, as test/lifecycle.test.ts and test/demo.test.ts do'
const REAL_NODE = 'it needs a real Polygon node'
const SYSTEM = 'it changes the system that it runs on'
const SERVERS =
  'it needs servers of its own: test/roles.test.ts, test/replicas.test.ts and test/citus.test.ts start some'
const FRAGMENT =
  'src/http/docs/docs.test.ts finds these lines in examples/, whose programs test/test-examples.ts runs'
const GENERATED = 'test/generated-client/ and .ci/generated-python-client do it'
const ASSISTANT = 'it needs the program of an assistant'

/** Snippets that are not run, by a part of them, and why. */
const NOT_RUN: readonly [page: RegExp, part: string, reason: string][] = [
  [/quick-start|README|pages/, 'npm run demo', OF_THE_BUILD],
  [/README/, 'npm ci && npm test', OF_THE_BUILD],
  [/README/, 'npm ci && npm run build', OF_THE_BUILD],
  [/README/, 'PORT=9000', STARTS],
  [/README|operations|going-live/, 'https://<your node>', REAL_NODE],
  [/README/, 'npx auspex dashboard', 'the demo has several accounts, of which `dashboard` asks for one'],
  [
    /switching/,
    'npx auspex compare',
    'test/demo.test.ts compares a wallet; some differ, because the simulated Data API deviates from the chain as the real one does',
  ],
  [/README/, '<the key>', 'the key is one that the reader has'],
  [
    /README/,
    'npx auspex backfill',
    'test/repair.test.ts and src/chain/backfill/ do it; here it would read a chain again',
  ],
  [/README|mcp/, 'claude mcp add', ASSISTANT],
  [/README|webhooks/, 'npx auspex listen', 'src/cli/listen/commands.test.ts runs it'],
  [/first-/, 'const auspex = new AuspexClient', FRAGMENT],
  [/first-/, 'for await (const { tokenId', FRAGMENT],
  [/first-/, 'const board = await', FRAGMENT],
  [/going-live|operations/, 'npm ci && npm pack', 'test/package.test.ts does it'],
  [/examples/, 'cp examples/', 'test/client/package.test.ts installs the client'],
  [/examples/, 'python3 -m venv', 'test/python-environment.ts does it'],
  [
    /websocket/,
    "ws.on('message', (data, isBinary)",
    'a part of a program: test/strict-client/strict-socket.ts has it',
  ],
  [/webhooks/, 'WEBHOOK', 'test/webhooks/docs.test.ts runs it'],
  [/webhooks/, '127.0.0.1:3000', 'test/webhooks/docs.test.ts runs it'],
  [/api\.md/, 'npm install openapi-fetch', GENERATED],
  [/api\.md/, "from 'openapi-fetch'", GENERATED],
  [/api\.md/, 'pip install openapi-python-client', GENERATED],
  [/api\.md/, 'from auspex_client', GENERATED],
  [/api\.md/, 'def walk', 'test/python-snippets.ts runs it'],
  [/api\.md/, 'async def follow', 'test/python-snippets.ts runs it'],
  [/operations/, 'sudo ', SYSTEM],
  [/operations/, 'auspex up', SERVERS],
  [/operations/, 'auspex backup', 'src/backup/backup.test.ts and test/package.test.ts do it'],
  [/operations/, 'psql ', 'the package of the embedded PostgreSQL has no psql'],
  [/operations/, 'data.example.net', 'the address is an example'],
  [/archive/, 'auspex archive --to', 'src/archive/commands.test.ts runs it'],
  [/archive/, 'auspex archive --restore --replays', 'src/archive/commands.test.ts runs it'],
  [/examples/, 'spark_archive.py', 'test/archive-notebooks.test.ts runs them'],
  [/books/, 'AUSPEX_RECORD_BOOKS', STARTS],
  [/scaling/, 'pg_basebackup', SERVERS],
  [/scaling/, 'DATABASE_READ_URLS', SERVERS],
  [/scaling/, './configure', SYSTEM],
  [/simulator/, 'AUSPEX_POLYGON_URL=$POLYGON', 'bench/lib and test/simulated-upstreams.ts set the same'],
  [/universes/, 'npm run universes', 'it takes minutes: test/universes/compare.test.ts runs one'],
]

const isNotRun = ({ page, code }: Snippet) =>
  NOT_RUN.some(([pages, part]) => pages.test(page) && code.includes(part))

/** These go on until they are stopped, which is done after their first line. */
const ENDLESS = [
  "require('ws')",
  '$(sample wallet)',
  'auspex.subscribe(',
  'auspex.books(',
  'websockets.sync.client',
]
/** What the demo may have no event of for long: they are connected after this time, and have nothing to complain about. */
const SILENT = ['tail scores', 'follow-wallet.js']
const SECONDS_OF_SILENCE = 5

/** Of the demo; the first account may have one key alone. */
const GROWTH_ACCOUNT = 'acc_3'

type Command = [program: string, args: string[]]
type Place = { demo: DemoFile; dataDir: string }

/** Tests of everything that the pages have their readers type, against a demo that runs. */
export function testSnippets(find: () => Place): void {
  let folder: string
  let hostAndPort: string
  let environment: PythonEnvironment
  let variables: Record<string, string>
  beforeAll(async () => {
    const { demo, dataDir } = find()
    folder = dirname(dataDir)
    hostAndPort = new URL(demo.url).host
    environment = await preparePython(join(ROOT, 'examples/requirements.txt'))
    preparePrograms(folder, environment)
    variables = { ...variablesOf(demo, folder), AUSPEX_DATA: dataDir, NEXT_CURSOR: await readCursor(demo) }
  })

  function start([command, args]: Command, { onTestFinished }: TestContext): ChildProcess {
    const child = spawn(command, args, {
      cwd: folder,
      env: variables,
      detached: true,
      // Bash reads the settings of its user where it takes a pipe for a remote shell.
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    onTestFinished(() => killGroup(child))
    return child
  }

  async function run(language: string, name: string, code: string, context: TestContext): Promise<void> {
    if (/python/.test(language + code) && 'missing' in environment) context.skip(environment.missing)
    const here = code.replaceAll('127.0.0.1:8080', hostAndPort).replaceAll('acc_1', GROWTH_ACCOUNT)
    const child = start(toCommand(language, join(folder, name), here), context)
    const [output, errors]: [string[], string[]] = [[], []]
    child.stdout?.on('data', (chunk) => output.push(String(chunk)))
    child.stderr?.on('data', (chunk) => errors.push(String(chunk)))
    const ended = once(child, 'close')
    if (SILENT.some((part) => code.includes(part))) {
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, SECONDS_OF_SILENCE * 1_000))])
      expect(errors).toEqual([])
    } else if (ENDLESS.some((part) => code.includes(part))) {
      await vi.waitFor(() => expect([output.join(''), ...errors]).toEqual([expect.stringContaining('\n')]), {
        timeout: 60_000,
      })
    } else {
      const [status] = await ended
      expect([status, output.join('') + errors.join('')]).toEqual([0, expect.anything()])
    }
  }

  const shown = SNIPPETS.filter((snippet) => !isNotRun(snippet))
  test.concurrent.for(shown)('$page line $line ($language) runs', async (snippet, context) => {
    const { page, line, language, code, assignments } = snippet
    const isShell = language === 'sh' || language === 'console'
    const commands = language === 'console' ? commandsOf(code) : code
    const whole = isShell ? [...assignments, commands].join('\n') : code
    await run(language, `${page.replaceAll(/\W/g, '-')}-${line}`, whole, context)
  })

  const samples = Object.entries(STREAM_SAMPLES).flatMap(([socket, each]) =>
    each.map((sample) => ({ socket, ...sample })),
  )
  test.concurrent.for(samples)('/docs/websocket, $socket, $title runs', async (sample, context) => {
    const { socket, language, code } = sample
    await run(language, `sample-${socket}`, code, context)
  })

  test('every snippet that is not run is there, with a reason', () => {
    const unused = NOT_RUN.filter(
      ([pages, part]) => !SNIPPETS.some(({ page, code }) => pages.test(page) && code.includes(part)),
    )
    expect(unused).toEqual([])
    expect(shown.length).toBeGreaterThan(30)
  })

  test('the TypeScript of the pages is what the compiler accepts', async (context) => {
    const programs = [...shown, ...samples].filter(({ language }) => language === 'ts')
    const files = programs.map(({ code }, index) => {
      const file = join(folder, `typed-${index}.mts`)
      writeFileSync(file, code)
      return file
    })
    const flags = '--noEmit --strict --skipLibCheck --target es2023 --module nodenext --types node'.split(' ')
    const child = start([join(ROOT, 'node_modules/.bin/tsc'), [...flags, ...files]], context)
    const output: string[] = []
    child.stdout?.on('data', (chunk) => output.push(String(chunk)))
    const [status] = await once(child, 'close')
    expect([status, output.join('')]).toEqual([0, ''])
  })
}

/** What a reader has in the folder where the repository is, and programs in the place of those that would not end or fail. */
function preparePrograms(folder: string, environment: PythonEnvironment): void {
  for (const name of ['node_modules', 'dist', 'examples']) {
    if (!existsSync(join(folder, name))) symlinkSync(join(ROOT, name), join(folder, name))
  }
  mkdirSync(join(folder, 'bin'))
  const npx = `#!/bin/bash
[ "$1" = auspex ] || { echo "not run here: npx $*" >&2; exit 64; }
shift
[ "$1" = tail ] && set -- "$@" --count 1
exec '${process.execPath}' '${join(ROOT, 'dist/bin/auspex.js')}' "$@"
`
  writeFileSync(join(folder, 'bin/npx'), npx)
  chmodSync(join(folder, 'bin/npx'), 0o755)
  symlinkSync(process.execPath, join(folder, 'bin/node'))
  if ('python' in environment) {
    for (const name of ['python', 'python3']) {
      writeFileSync(join(folder, 'bin', name), `#!/bin/bash\nexec '${environment.python}' "$@"\n`, {
        mode: 0o755,
      })
    }
  }
  // An answer that is an error ends the snippet; one that says when to ask again is asked again.
  writeFileSync(join(folder, '.curlrc'), 'silent\nshow-error\nfail-with-body\nretry = 5\n')
}

const variablesOf = ({ url, ws_url, keys, samples, upstreams }: DemoFile, folder: string) => ({
  PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
  CURL_HOME: folder,
  KEY: keys.growth,
  AUSPEX_KEY: keys.growth,
  AUSPEX_URL: url,
  URL: url,
  WS_URL: ws_url,
  WALLET: samples.wallet,
  MARKET: samples.condition_id,
  TOKEN: samples.token_id,
  CLOB: upstreams.clob,
  DATA_API: upstreams.data_api,
  GAMMA: upstreams.gamma,
  RTDS: upstreams.rtds,
  POLYGON: upstreams.polygon_http,
})

async function readCursor({ url, keys, samples }: DemoFile): Promise<string> {
  const path = `/v3/wallets/${samples.wallet}/trades?limit=2`
  const reply = await fetch(url + path, { headers: { 'x-api-key': keys.growth } })
  return ((await reply.json()) as { next_cursor: string }).next_cursor
}

/** The lines behind `$ `, with those that go on. */
const commandsOf = (code: string): string =>
  [...code.matchAll(/^\$ ((?:.*\\\n)*.*)$/gm)].map(([, command]) => command).join('\n')

function toCommand(language: string, path: string, code: string): Command {
  if (language === 'sh' || language === 'console') return ['bash', ['-c', `set -eo pipefail\n${code}`]]
  if (language === 'python') return ['python3', ['-c', code]]
  writeFileSync(`${path}.mjs`, transformSync(code, { loader: 'ts' }).code)
  return [process.execPath, [`${path}.mjs`]]
}

function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  process.kill(-pid, 'SIGKILL')
}
