import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { NO_UPSTREAMS } from '../bench/lib/no-upstreams.js'
import { createKey } from '../src/accounts/accounts.js'
import { Plans } from '../src/accounts/plans.js'
import { insertAccount } from '../src/accounts/queries.js'
import { openWorld } from '../src/chain/follow/test-follow.js'
import { createLog } from '../src/lib/log.js'
import { createPool } from '../src/store/connection.js'
import { borrowDatabase } from '../src/store/database.js'
import { findPostmaster } from '../src/store/embedded/postmaster.js'
import {
  countAddresses,
  createDataDir,
  expectNoProcesses,
  type Running,
  runAuspex,
  spawnBuilt,
  startAuspex,
  startCommand,
} from './processes.js'

let folder: ReturnType<typeof createDataDir>
const running: Running[] = []
const start = async () => {
  const args = ['--data', folder.dataDir, '--trusted-proxies', 'loopback']
  const service = await startAuspex(args)
  running.push(service)
  return service
}

/** The lines of its log. */
const linesOf = ({ output }: Running) =>
  output
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { level: string; msg: string } & Record<string, unknown>)

const find = (service: Running, message: string) => linesOf(service).filter(({ msg }) => msg === message)

/** A built command, run to its end beside others. */
async function runBeside(args: string[]) {
  const { child } = spawnBuilt('bin/auspex.js', args)
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => {
    said.stdout += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    said.stderr += chunk
  })
  const [status] = await once(child, 'close')
  return { status, ...said }
}

const within = { timeout: 60_000, interval: 50 }

/** Asks for something that is made of chain data, with a key of a plan that may have it. */
async function askForBoard(url: string): Promise<Response> {
  const location = { dataDir: folder.dataDir, databaseUrl: undefined }
  const log = createLog('silent', process.stdout)
  const { target } = await borrowDatabase(location, { command: 'test', isService: false, log })
  const pool = createPool(target, 1)
  const of = { name: 'desk', plans: new Plans(), nowMs: Date.now() }
  const accountId = await insertAccount(pool, { ...of, plan: 'growth' })
  const { secret } = await createKey(pool, { ...of, accountId })
  await pool.end()
  return await fetch(`${url}/v3/leaderboard?key=${secret}`)
}

async function removeFolder(): Promise<void> {
  for (const service of running.splice(0)) await service.stop('SIGKILL')
  await expectNoProcesses(folder.dataDir)
  folder.remove()
}

async function expectCleanStop(code: number | null): Promise<void> {
  expect(code).toBe(0)
  await expectNoProcesses(folder.dataDir)
  expect(existsSync(join(folder.dataDir, 'auspex.lock'))).toBe(false)
}

// One folder for all of them, and the same process as long as it lives: a start takes seconds.
describe('auspex up', () => {
  beforeAll(() => {
    folder = createDataDir()
  })
  afterAll(removeFolder)

  const isAlive = ({ child }: Running) => child.exitCode === null && child.signalCode === null
  const serve = async () => running.find(isAlive) ?? (await start())
  const nextAddress = countAddresses()
  const askForKey = ({ url }: Running) =>
    fetch(`${url}/v1/keys`, { method: 'POST', headers: { 'x-forwarded-for': nextAddress() } })

  /** A request for a key that the service has begun with: it asks for the body. */
  async function beginRequest({ url }: Running, length: number) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    const fields = [
      'host: x',
      `x-forwarded-for: ${nextAddress()}`,
      'content-type: application/json',
      `content-length: ${length}`,
      'expect: 100-continue',
    ]
    socket.write(`POST /v1/keys HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`)
    expect(String(await once(socket, 'data'))).toMatch(/100 Continue/)
    return socket
  }

  test('a second start says who holds the folder or the port, and leaves nothing running', async () => {
    const service = await serve()
    const other = createDataDir()
    const { port } = new URL(service.url)
    const [inFolder, onPort] = await Promise.all([
      runBeside(['up', '--port', '0', '--data', folder.dataDir]),
      runBeside(['up', '--port', port, '--data', other.dataDir]),
    ])
    expect(inFolder.status).toBe(1)
    expect(inFolder.stderr).toMatch(`in use by \`auspex up\` (process ${service.child.pid}, since`)
    expect(onPort.status).toBe(1)
    expect(onPort.stderr).toMatch(`Port ${port} on 127.0.0.1 is in use`)
    await expectNoProcesses(other.dataDir)
    other.remove()
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
  })

  test('without a node it says everywhere what to set', async () => {
    const service = await serve()
    const hint = expect.stringMatching(/^No chain data will come until AUSPEX_POLYGON_URL is set/)
    expect(linesOf(service)).toContainEqual(expect.objectContaining({ level: 'warn', msg: hint }))
    const ready = await fetch(`${service.url}/readyz`)
    expect(await ready.json()).toMatchObject({ checks: { chain: hint } })
    const { api_key: key } = (await (await askForKey(service)).json()) as { api_key: string }
    const status = await fetch(`${service.url}/v1/status?key=${key}`)
    expect(await status.json()).toMatchObject({
      not_configured: expect.arrayContaining([{ feature: 'chain', setting: 'AUSPEX_POLYGON_URL' }]),
    })
    const refused = await askForBoard(service.url)
    expect(refused.status).toBe(503)
    expect(await refused.json()).toMatchObject({ hint })
  })

  test('a database that is killed is started again, and requests are answered again', async () => {
    const service = await serve()
    const cluster = join(folder.dataDir, 'postgres/cluster')
    const before = findPostmaster(cluster) ?? 0
    process.kill(before, 'SIGKILL')
    await vi.waitFor(
      async () => {
        expect(findPostmaster(cluster) ?? before).not.toBe(before)
        expect((await askForKey(service)).status).toBe(201)
      },
      { timeout: 60_000, interval: 100 },
    )
  })

  test('finishes the requests under way and stops cleanly on SIGINT, database included', async () => {
    const service = await serve()
    const socket = await beginRequest(service, 15)
    const stopped = service.stop('SIGINT')
    await vi.waitFor(async () => {
      await expect(fetch(`${service.url}/healthz`)).rejects.toThrow()
    })
    socket.write('{"name":"last"}')
    expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1.1 201 /)
    await expectCleanStop(await stopped)
  })

  test('cuts off a request that does not come to an end', async () => {
    const service = await serve()
    await beginRequest(service, 5)
    await expectCleanStop(await service.stop('SIGTERM'))
  })

  test('takes its database along when it is killed, and loses at most the usage of the last seconds', async () => {
    const service = await serve()
    const { api_key: key } = (await (await askForKey(service)).json()) as { api_key: string }
    const headers = { 'x-api-key': key }
    for (let count = 0; count < 5; count++) await fetch(`${service.url}/v1/status`, { headers })
    const location = { dataDir: folder.dataDir, databaseUrl: undefined }
    const log = createLog('silent', process.stdout)
    const { target } = await borrowDatabase(location, { command: 'test', isService: false, log })
    const pool = createPool(target, 1)
    await vi.waitFor(
      async () =>
        expect(await pool`select used from usage order by account_id desc limit 1`).toEqual([{ used: 5n }]),
      { timeout: 5_000 },
    )
    await pool.end()
    await service.stop('SIGKILL')
    await expectNoProcesses(folder.dataDir)
    const next = await serve()
    const usage = await fetch(`${next.url}/v1/usage`, { headers })
    expect(await usage.json()).toMatchObject({
      meters: [{ meter: 'api_requests', used: 5 }, {}, {}],
    })
  })

  test('stops cleanly while it starts', async () => {
    for (const service of running.splice(0)) await service.stop()
    const { child } = spawnBuilt('bin/auspex.js', ['up', '--port', '0', '--data', folder.dataDir])
    const hasLock = () => expect(existsSync(join(folder.dataDir, 'auspex.lock'))).toBe(true)
    await vi.waitFor(hasLock, { timeout: 60_000, interval: 5 })
    child.kill('SIGINT')
    const [code] = await once(child, 'close')
    await expectCleanStop(code)
  })

  test('a folder that cannot be used is named', () => {
    const file = join(folder.dataDir, 'file')
    writeFileSync(file, '')
    const run = runAuspex(['up', '--data', file])
    expect(run.status).toBe(1)
    expect(run.stderr).toMatch(/Cannot use the data folder .*file/)
  })
})

describe('auspex up with a node', () => {
  let world: Awaited<ReturnType<typeof openWorld>>
  let living: NodeJS.Timeout
  beforeAll(async () => {
    folder = createDataDir()
    world = await openWorld({ seed: 61, startMs: Date.now() - 60_000 })
    living = setInterval(world.makeBlock, 1_000)
  })
  afterAll(async () => {
    clearInterval(living)
    await removeFolder()
    await world.close()
  })

  const nodeArgs = (fromBlock: number) => [
    '--data',
    folder.dataDir,
    '--from-block',
    `${fromBlock}`,
    '--polygon-url',
    world.host.url,
    '--polygon-ws-url',
    world.host.wsUrl,
  ]

  test('a first block that the node does not have is named, and nothing is booked', async () => {
    const fromBlock = world.universe.chain.head.number + 1_000
    const args = ['up', '--port', '0', ...nodeArgs(fromBlock)]
    const { child, output } = spawnBuilt('bin/auspex.js', args, NO_UPSTREAMS)
    const problem = new RegExp(`the first block to book is ${fromBlock}`)
    await vi.waitFor(() => expect(output.join('')).toMatch(problem), within)
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output.join(''))?.[0]
    const chain = expect.stringMatching(problem)
    await vi.waitFor(async () => {
      const ready = await fetch(`${url}/readyz`)
      expect([ready.status, await ready.json()]).toMatchObject([503, { checks: { chain } }])
    }, within)
    const refused = await askForBoard(url ?? '')
    expect(refused.status).toBe(503)
    expect(await refused.json()).toMatchObject({ hint: chain })
    child.kill('SIGTERM')
    await once(child, 'close')
  })

  test('the log tells how the chain is followed, from the lease to the stop', async () => {
    const { universe, faults } = world
    const service = await startAuspex(nodeArgs(universe.chain.head.number - 20))
    running.push(service)
    const order = ['opening the database', 'lease taken: this process books the chain']
    const booked = [...order, 'catching up', 'caught up', 'ready']
    await vi.waitFor(() => expect(find(service, 'ready')).toHaveLength(1), within)
    const messages = linesOf(service).map(({ msg }) => msg)
    expect(messages.filter((msg) => booked.includes(msg))).toEqual(booked)
    expect(find(service, 'caught up')).toMatchObject([{ level: 'info', blocks: expect.any(Number) }])

    universe.reorg(2)
    await vi.waitFor(
      () => expect(find(service, 'chain was reorganised')).toMatchObject([{ level: 'info' }]),
      within,
    )
    // One line, however often the socket ends again; and no stack for what is expected.
    faults.set({ upstream: 'polygon', mode: 'drop' })
    const metrics = async () => (await fetch(`${service.url}/metrics`)).text()
    const retried = /auspex_upstream_socket_reconnects_total\{upstream="polygon_ws",[^}]*\} [3-9]/
    await vi.waitFor(async () => expect(await metrics()).toMatch(retried), within)
    expect(find(service, 'upstream socket ended')).toHaveLength(1)
    faults.set({ upstream: 'polygon', mode: 'off' })
    expect(linesOf(service).filter(({ err }) => err !== undefined)).toEqual([])

    expect(await service.stop()).toBe(0)
    const last = linesOf(service).map(({ msg }) => msg)
    expect(last.slice(-2)).toEqual(['lease released', 'stopped'])
  })
})

describe('the command line', () => {
  beforeEach(() => {
    folder = createDataDir()
  })
  afterEach(removeFolder)

  test('makes accounts and keys, beside a running service and without one', async () => {
    const data = ['--data', folder.dataDir]
    const service = await start()
    const signIn = (link = '', name?: string) => {
      expect(link).toMatch(`${service.url}/sign-in?code=`)
      const body = JSON.stringify({ code: link.split('=')[1], account_name: name })
      const headers = { 'content-type': 'application/json' }
      return fetch(`${service.url}/v1/session`, { method: 'POST', headers, body })
    }
    // The link of a first start makes an account; it is no line of the log.
    const findLink = () => service.output.join('').match(/^ {2}(http\S+code=\S+)\n/m)?.[1]
    await vi.waitFor(() => expect(findLink()).toBeDefined(), within)
    expect(JSON.stringify(linesOf(service))).not.toContain('code=')

    const account = runAuspex(['accounts', 'create', '--name', 'desk', '--plan', 'starter', ...data])
    expect(account.stdout).toBe('acc_1\n')
    // What does not change what another command reads runs beside it.
    const create = ['keys', 'create', '--account', 'acc_1', '--name', 'bot', ...data]
    const refusing = runBeside(['accounts', 'set-plan', 'acc_1', 'gold', ...data])
    const key = await runBeside(create)
    expect(key.stdout).toMatch(/^ax_live_[0-9a-f]{48}\n$/)
    const ask = () => fetch(`${service.url}/v1/usage`, { headers: { 'x-api-key': key.stdout.trim() } })
    expect(await (await ask()).json()).toMatchObject({ account: 'acc_1', tier: 'starter' })

    const gold = await refusing
    expect([gold.status, gold.stderr]).toEqual([1, expect.stringMatching(/Known: free, starter/)])
    const listing = runBeside(['keys', 'list', ...data])
    const linking = runBeside(['dashboard', ...data])
    const raised = await runBeside(['accounts', 'set-plan', 'acc_1', 'growth', ...data])
    expect(raised.status).toBe(0)
    const signedIn = await signIn((await linking).stdout.trim())
    expect(await signedIn.json()).toMatchObject({ account: { id: 'acc_1' }, key: { id: 'key_1' } })
    const made = await signIn(findLink(), 'own')
    expect(await made.json()).toMatchObject({ account: { id: 'acc_2', plan: 'enterprise' } })
    await vi.waitFor(async () => expect(await (await ask()).json()).toMatchObject({ tier: 'growth' }))
    const list = await listing
    expect(list.stdout).toMatch(/key_1 +acc_1 +full +….{4} +active/)
    expect(list.stdout).not.toContain(key.stdout.trim())
    expect(runAuspex(['keys', 'revoke', 'key_1', ...data]).status).toBe(0)
    await vi.waitFor(async () => expect((await ask()).status).toBe(403))
    await service.stop()
    expect(runAuspex(['accounts', 'list', ...data]).stdout).toMatch(/acc_1 +growth +0 /)

    // A plan that the file of the next start does not have any more.
    const plans = join(folder.dataDir, 'plans.json')
    writeFileSync(plans, JSON.stringify({ plans: { gold: { extends: 'growth' } } }))
    const change = ['accounts', 'set-plan', 'acc_1', 'gold', '--plans', plans, ...data]
    expect(runAuspex(change).status).toBe(0)
    const refused = await startCommand(['up', '--port', '0', ...data], NO_UPSTREAMS)
    expect(refused.status).toBe(1)
    expect(refused.output).toMatch(
      'auspex: Accounts are on plans that are not known: gold. Add them to a file that AUSPEX_PLANS names',
    )
  })

  test('makes no database where there is none', () => {
    const { status, stderr } = runAuspex(['keys', 'list', '--data', folder.dataDir])
    expect(status).toBe(1)
    expect(stderr).toBe(
      `auspex: There is no database in ${folder.dataDir}.\n` +
        'Name the folder of a service with --data <folder> or AUSPEX_DATA; `auspex up` makes a new one.\n',
    )
    expect(existsSync(folder.dataDir)).toBe(false)
  })

  test('waits for a service that is starting, and for other commands', async () => {
    const service = startAuspex(['--data', folder.dataDir])
    const lock = join(folder.dataDir, 'auspex.lock')
    await vi.waitFor(() => expect(existsSync(lock)).toBe(true), { timeout: 60_000 })
    const create = (name: string) =>
      startCommand(['accounts', 'create', '--name', name, '--data', folder.dataDir])
    const runs = await Promise.all(['one', 'two', 'three'].map(create))
    running.push(await service)
    expect(runs.map(({ status }) => status)).toEqual([0, 0, 0])
    expect(runs.map(({ output }) => output.match(/^acc_\d/m)?.[0]).sort()).toEqual([
      'acc_1',
      'acc_2',
      'acc_3',
    ])
  })

  test.each([
    [['up', '--port', 'abc'], 2, /--port=abc: must be an integer/],
    [['keys', 'revoke', 'nonsense'], 2, /must look like key_7/],
    [['fly'], 2, /unknown command 'fly'/],
    [['up', '--colour', 'red'], 2, /unknown option '--colour'/],
  ])('%j exits with %i and says why', (args, status, message) => {
    const run = runAuspex(args)
    expect(run.status).toBe(status)
    expect(run.stderr).toMatch(message)
  })

  test('auspex config prints every value and where it comes from', () => {
    const run = runAuspex(['config', '--port', '9'], { DATABASE_URL: 'postgres://u:hunter2@h/d' })
    expect(run.status).toBe(0)
    expect(run.stdout).toMatch(/PORT +9 +--port/)
    expect(run.stdout).not.toMatch(/hunter2/)
  })
})
