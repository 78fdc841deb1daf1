import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { totalmem } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../../errors.js'
import { type Binaries, prepareBinaries } from './binaries.js'
import { prepareHome, type ServerHome } from './home.js'
import { clearLeftovers, endPostmaster, isReady } from './postmaster.js'
import { type ServerSettings, tuneServer } from './tuning.js'

export type EmbeddedServer = {
  socketDir: string
  /** Resolves when the server process has ended, asked or not. */
  exited: Promise<void>
  stop(): Promise<void>
}

export const SUPERUSER = 'auspex'

const START_MS_MAX = 60_000
const LOG_BYTES_MAX = 16 * 1024 * 1024

/**
 * Starts a PostgreSQL of our own below `dataDir`, which the caller has locked. It listens on a Unix
 * socket in a folder that only its user can enter, so it trusts whoever gets there.
 */
export async function startServer(
  dataDir: string,
  extraSettings: ServerSettings = {},
): Promise<EmbeddedServer> {
  const home = prepareHome(dataDir)
  const binaries = prepareBinaries(home.user, home.copyDir)
  if (existsSync(home.clusterDir)) await clearLeftovers(home.clusterDir)
  else createCluster(binaries, home)

  const settings = { ...tuneServer(availableMemory()), ...extraSettings }
  const child = launch(binaries, home, settings)
  const exited = once(child, 'exit').then(() => unleash(child))
  await waitUntilReady(child, home)
  return {
    socketDir: home.socketDir,
    exited,
    stop: async () => {
      if (child.pid !== undefined && child.exitCode === null) await endPostmaster(child.pid)
      await exited
    },
  }
}

function createCluster({ initdb }: Binaries, home: ServerHome): void {
  // Killed half-way, initdb leaves a folder that is no cluster: the real name comes at the end.
  const draft = `${home.clusterDir}.new`
  rmSync(draft, { recursive: true, force: true })
  const args = ['-D', draft, '-U', SUPERUSER, '--auth=trust', '--encoding=UTF8']
  args.push('--locale-provider=builtin', '--locale=C.UTF-8', '--no-instructions')
  const run = spawnSync(initdb, args, { ...home.user, encoding: 'utf8', env: serverEnv() })
  if (run.status !== 0) {
    const reason = run.error?.message ?? `${run.stderr}${run.stdout}`.trim()
    throw new OperatorError(
      `The embedded database cannot be created in ${home.clusterDir}:\n${reason}`,
    )
  }
  renameSync(draft, home.clusterDir)
}

// The server replaces the shell, so that it is our direct child. The watcher behind it holds the
// other end of our pipe: a line on it means a normal end, silence and a closed pipe mean that we
// were killed, and then it takes the database down too. It is forked twice because PostgreSQL
// treats the death of a child that it does not know as a crash.
const LEASH = `exec 3<&0
( ( read -r word <&3 || kill -INT $$ ) </dev/null >/dev/null 2>&1 & )
exec "$@" </dev/null 3<&-`

function launch({ postgres }: Binaries, home: ServerHome, settings: ServerSettings): ChildProcess {
  const args = [postgres, '-D', home.clusterDir, '-k', home.socketDir, '-c', 'listen_addresses=']
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`)
  const logFd = openLog(home.logFile)
  try {
    return spawn('/bin/sh', ['-c', LEASH, 'sh', ...args], {
      ...home.user,
      // A session of its own: Ctrl-C in the terminal must reach us alone, we stop the database last.
      detached: true,
      stdio: ['pipe', logFd, logFd],
      env: serverEnv(),
    })
  } finally {
    closeSync(logFd)
  }
}

function unleash(child: ChildProcess): void {
  child.stdin?.on('error', () => undefined)
  child.stdin?.end('\n')
}

async function waitUntilReady(child: ChildProcess, home: ServerHome): Promise<void> {
  const deadline = Date.now() + START_MS_MAX
  while (!isReady(home.clusterDir)) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new OperatorError(`The embedded database did not start:\n${readLogTail(home.logFile)}`)
    }
    if (Date.now() > deadline) {
      if (child.pid !== undefined) await endPostmaster(child.pid)
      throw new OperatorError(
        `The embedded database was not ready after ${START_MS_MAX / 1000} s; see ${home.logFile}`,
      )
    }
    await sleep(10)
  }
}

function openLog(logFile: string): number {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0
  if (size > LOG_BYTES_MAX) renameSync(logFile, `${logFile}.old`)
  const fd = openSync(logFile, 'a', 0o600)
  writeSync(fd, `--- start ${new Date().toISOString()}\n`)
  return fd
}

function readLogTail(logFile: string): string {
  const text = readFileSync(logFile, 'utf8')
  return text.slice(text.lastIndexOf('--- start')).trim().split('\n').slice(-12).join('\n')
}

// The server gets no variable of ours: no secret, and no PG* that changes what it does.
function serverEnv(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }
}

function availableMemory(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}
