import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { NO_UPSTREAMS } from '../bench/lib/no-upstreams.js'
import { removeServerFolders } from '../src/store/embedded/server-folders.js'
import { makeOpenFolder } from './open-folder.js'

const DIST = resolve(import.meta.dirname, '../dist')

export type Running = {
  url: string
  child: ChildProcess
  output: string[]
  /** The exit code; signals first. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export type Env = Record<string, string>

const environment = (env: Env) => ({ PATH: process.env.PATH ?? '', ...env })

/** A built command, run to its end. */
export function runAuspex(args: string[], env: Env = {}) {
  const run = spawnSync(process.execPath, [join(DIST, 'bin/auspex.js'), ...args], {
    encoding: 'utf8',
    env: environment(env),
  })
  return { status: run.status, stdout: run.stdout, stderr: run.stderr }
}

/** A built command, run beside others. */
export const startCommand = (args: string[], env: Env = {}, cwd?: string) =>
  runBuilt('bin/auspex.js', args, env, cwd)

/** A built script, run to its end beside others. */
export async function runBuilt(script: string, args: string[], env: Env = {}, cwd?: string) {
  const { child, output } = spawnBuilt(script, args, env, undefined, cwd)
  const [status] = await once(child, 'close')
  return { status: status as number | null, output: output.join('') }
}

/** Starts `auspex up` on a free port and waits until it answers `/readyz` with 200. */
export async function startAuspex(
  args: string[],
  env: Env = {},
  onOutput?: (text: string) => void,
): Promise<Running> {
  const command = ['up', '--port', '0', ...args]
  return await startProcess('bin/auspex.js', command, { ...NO_UPSTREAMS, ...env }, onOutput)
}

export async function startProcess(
  script: string,
  args: string[],
  env: Env = {},
  onOutput?: (text: string) => void,
): Promise<Running> {
  const { child, output } = spawnBuilt(script, args, env, onOutput)
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    child.kill(signal)
    const [code] = await once(child, 'exit')
    return code
  }
  const url = await waitForUrl(child, output)
  return { url, child, output, stop }
}

/** A built script, started. */
export function spawnBuilt(
  script: string,
  args: string[],
  env: Env = {},
  onOutput: (text: string) => void = () => undefined,
  cwd?: string,
) {
  const child = spawn(process.execPath, [join(DIST, script), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(env),
    cwd,
  })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output.push(chunk.toString())
      onOutput(chunk.toString())
    })
  }
  return { child, output }
}

/** The address under which a started service has become ready. */
export async function waitForUrl(child: ChildProcess, output: string[]): Promise<string> {
  const deadline = Date.now() + 240_000
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`it ended at once:\n${output.join('')}`)
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output.join(''))?.[0]
    if (url !== undefined && (await isReady(url))) return url
    await new Promise((next) => setTimeout(next, 20))
  }
  child.kill('SIGKILL')
  throw new Error(`it was not ready in time:\n${output.join('')}`)
}

async function isReady(url: string): Promise<boolean> {
  return await fetch(`${url}/readyz`).then(
    (reply) => reply.status === 200,
    () => false,
  )
}

/** Runs a script of this folder with an argument, until the test ends or `kill` (SIGKILL) is called. */
export function forkChild(script: string, argument: object) {
  const path = join(import.meta.dirname, script)
  const child = fork(path, [JSON.stringify(argument)], { execArgv: [] })
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  const kill = async () => {
    if (isOver()) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  onTestFinished(kill)
  return { child, isOver, kill }
}

/** Client addresses, another one with each call: an address gets one free key a day. */
export function countAddresses(): () => string {
  let last = 0
  return () => `203.${Math.floor(++last / 65_536)}.${(last >> 8) & 255}.${last & 255}`
}

/** A folder for one test; `remove` takes the database with it. */
export function createDataDir(name = 'data'): { dataDir: string; remove(): void } {
  const parent = makeOpenFolder('scenario')
  const dataDir = join(parent, name)
  return {
    dataDir,
    remove: () => {
      removeServerFolders(dataDir)
      rmSync(parent, { recursive: true, force: true })
    },
  }
}

/** Waits until nothing runs on this folder: the watchdog behind a database ends a moment after it. */
export const expectNoProcesses = (folder: string): Promise<void> =>
  vi.waitFor(() => expect(processesOn(folder)).toEqual([]), { timeout: 60_000 })

/** Living processes whose command line names this folder. */
export function processesOn(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder)
      } catch {
        return false
      }
    })
    .map(Number)
}
