import { type ChildProcess, type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { PlanId } from '../../src/accounts/plans.js'
import { createSecret, hashSecret, hintOf } from '../../src/accounts/secret.js'
import { createLog } from '../../src/lib/log.js'
import { createPool, type Pool, type Target } from '../../src/store/connection.js'
import { borrowDatabase } from '../../src/store/database.js'
import { NO_UPSTREAMS } from './no-upstreams.js'

const DIST = join(import.meta.dirname, '../..')

export type Running = { port: number; stop(): Promise<void> }

/** A server that is moved between cores measures the scheduler; one that needs a database must share. */
export type Placement = { isPinned: boolean }

/** A yardstick server of `bench/yardsticks`: prints its port when it listens. */
export async function startYardstick(
  name: string,
  args: string[],
  { isPinned }: Placement,
): Promise<Running> {
  const child = spawnServer([join(DIST, 'bench/yardsticks', `${name}.js`), ...args], isPinned)
  const [line] = await once(createInterface(child.stdout), 'line')
  return { port: Number(line), stop: () => stopChild(child) }
}

export type RunningService = Running & { pool: Pool; target: Target; pid: number }

/** The real service, as `auspex up` runs it, on a database of its own. */
export async function startAuspex({
  isPinned,
  env = NO_UPSTREAMS,
}: Placement & { env?: NodeJS.ProcessEnv }): Promise<RunningService> {
  const dataDir = mkdtempSync(join(tmpdir(), 'auspex-bench-'))
  chmodSync(dataDir, 0o711)
  const args = ['up', '--port', '0', '--data', join(dataDir, 'data')]
  const child = spawnServer([join(DIST, 'bin/auspex.js'), ...args], isPinned, env)
  const port = await readPort(child)
  const log = createLog('error', process.stderr)
  const location = { dataDir: join(dataDir, 'data'), databaseUrl: undefined }
  const { target } = await borrowDatabase(location, { command: 'bench', isService: false, log })
  const pool = createPool(target, 2)
  return {
    port,
    pool,
    target,
    pid: child.pid ?? 0,
    stop: async () => {
      await pool.end()
      await stopChild(child)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** The demo with a short history, whose `demo.json` says where everything is. */
export async function startDemo(
  dataDir: string,
): Promise<{ pid: number; pool: Pool; stop(): Promise<void> }> {
  const args = ['--port', '0', '--data', dataDir, '--history', '10m']
  const child = spawnServer([join(DIST, 'bin/demo.js'), ...args], false)
  for await (const line of createInterface(child.stdout)) if (line.startsWith('Try first')) break
  child.stdout.resume()
  const log = createLog('error', process.stderr)
  const location = { dataDir, databaseUrl: undefined }
  const { target } = await borrowDatabase(location, { command: 'bench', isService: false, log })
  const pool = createPool(target, 1)
  return {
    pid: child.pid ?? 0,
    pool,
    stop: async () => {
      await pool.end()
      await stopChild(child)
    },
  }
}

/** The real service on a database that is there already. `more`: variables of its environment. */
export async function startAuspexOn(
  target: { socketDir: string; database: string },
  more: NodeJS.ProcessEnv = {},
): Promise<Running & { pid: number }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'auspex-bench-'))
  chmodSync(dataDir, 0o711)
  const args = ['up', '--port', '0', '--data', join(dataDir, 'data')]
  const url = `postgres://auspex@localhost/${target.database}?host=${target.socketDir}`
  const env = { ...NO_UPSTREAMS, DATABASE_URL: url, ...more }
  const child = spawnServer([join(DIST, 'bin/auspex.js'), ...args], false, env)
  return {
    port: await readPort(child),
    pid: child.pid ?? 0,
    stop: async () => {
      await stopChild(child)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Keys of as many accounts. On the enterprise plan each may send 4,000 requests per minute. */
export async function insertKeys(pool: Pool, count: number, plan: PlanId = 'enterprise'): Promise<string[]> {
  const secrets = Array.from({ length: count }, createSecret)
  const now = new Date()
  for (const secret of secrets) {
    await pool`
      with account as (
        insert into accounts (name, plan, created_at) values ('bench', ${plan}, ${now})
        returning id
      )
      insert into api_keys (account_id, name, secret_sha256, hint, created_at)
      select id, 'bench', ${hashSecret(secret)}, ${hintOf(secret)}, ${now} from account`
  }
  return secrets
}

const CAN_PIN = spawnSync('taskset', ['-c', '0', 'true']).status === 0

/** The resident memory of a process now. Read from `/proc` on Linux, because `ps` is slow. */
export function residentBytes(pid: number): number {
  const status = `/proc/${pid}/status`
  const kilobytes = existsSync(status)
    ? /VmRSS:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1]
    : spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout
  return 1024 * Number(kilobytes)
}

/** What a process has computed since it began, all of its threads together. Linux alone tells it. */
export function cpuSeconds(pid: number): number {
  const path = `/proc/${pid}/stat`
  if (!existsSync(path)) return Number.NaN
  // The name of the process, in brackets, may have spaces.
  const fields = readFileSync(path, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

const TICKS_PER_SECOND = 100
const SAMPLE_MS = 5

/** How much memory a process takes at most in addition while `work` goes on. */
export async function measureGrowth(pid: number, work: () => Promise<unknown>): Promise<number> {
  const before = residentBytes(pid)
  let peak = before
  const sampling = setInterval(() => {
    peak = Math.max(peak, residentBytes(pid))
  }, SAMPLE_MS)
  await work()
  clearInterval(sampling)
  return peak - before
}

function spawnServer(args: string[], isPinned: boolean, env: NodeJS.ProcessEnv = {}) {
  const pin = isPinned && CAN_PIN ? ['taskset', '-c', '0'] : []
  const [command = '', ...rest] = [...pin, process.execPath, ...args]
  return spawn(command, rest, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, ...env },
  })
}

async function readPort(child: ChildProcessByStdio<null, Readable, null>): Promise<number> {
  let port = 0
  for await (const line of createInterface(child.stdout)) {
    const { msg, url } = JSON.parse(line) as { msg: string; url?: string }
    if (url !== undefined) port = Number(new URL(url).port)
    if (msg === 'database is ready') break
  }
  child.stdout.resume()
  return port
}

async function stopChild(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
