import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { findFreePort } from './free-port.js'
import { makeOpenFolder } from './open-folder.js'
import { findProgram } from './system-programs.js'

/** `undefined`: Redis is not installed, and the tests that need it are skipped. */
export const REDIS_PROGRAM = findProgram('redis-server')

export type RedisServer = {
  url: string
  port: number
  /** On which nodes of a Cluster speak to each other. */
  busPort: number
  /** Starts it again, empty, on the same port, unless it runs. */
  start(): Promise<void>
  /** SIGKILL, also while it starts. */
  kill(): Promise<void>
  /** SIGSTOP: it keeps its connections and does not answer. */
  pause(): void
  resume(): void
  /** Ends it for good. */
  remove(): Promise<void>
}

type RedisServerOptions = {
  password?: string
  isCluster?: boolean
  /** The paths of PEM files: it speaks TLS alone. */
  tls?: { certificate: string; key: string }
}

/** A Redis server of the test's own, on a free port of the loopback address. */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const { password, isCluster, tls } = options
  // Only a node of a Cluster writes a file.
  const folder = isCluster === true ? makeOpenFolder('redis') : undefined
  const port = await findFreePort()
  const busPort = await findFreePort()
  let child: ChildProcess | undefined
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null
  const start = async () => {
    if (isRunning()) return
    const secret = password === undefined ? [] : ['--requirepass', password]
    const cluster = isCluster === true ? ['--cluster-enabled', 'yes', '--cluster-port', `${busPort}`] : []
    const local = ['--bind', '127.0.0.1', '--save', '', '--dir', folder ?? tmpdir()]
    const door = tls === undefined ? ['--port', `${port}`] : tlsArguments(port, tls)
    const args = [...door, ...local, ...secret, ...cluster]
    child = spawn(REDIS_PROGRAM ?? 'redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] })
    await untilWritten(child, 'Ready to accept')
  }
  const kill = async () => {
    if (child === undefined || !isRunning()) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  await start()
  return {
    port,
    busPort,
    url: `${tls === undefined ? 'redis' : 'rediss'}://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`,
    start,
    kill,
    pause: () => child?.kill('SIGSTOP'),
    resume: () => child?.kill('SIGCONT'),
    remove: async () => {
      await kill()
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

const tlsArguments = (port: number, { certificate, key }: { certificate: string; key: string }): string[] => [
  ...['--port', '0', '--tls-port', `${port}`, '--tls-auth-clients', 'no'],
  ...['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate],
]

/** Resolves also when it is killed before. */
function untilWritten(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk
      if (output.includes(text)) resolve()
    })
    child.once('exit', (_code, signal) => {
      if (signal === 'SIGKILL') resolve()
      else reject(new Error(`redis-server ended:\n${output}`))
    })
  })
}
