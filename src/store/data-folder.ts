import { randomUUID } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf, messageOf, OperatorError } from '../core/errors.js'
import { processIdentity } from '../lib/process-identity.js'

/** The process that holds a data folder, as its lock file says. */
export type Holder = {
  pid: number
  identity: string
  command: string
  since: string
  /** A service lends its database to short commands; a command has it for itself, for a moment. */
  isService: boolean
  /** Differs from one lock to the next, even of the same process. */
  token: string
}

export type LockOwner = Pick<Holder, 'command' | 'isService'>

export type FolderLock = { release(): void }

export class FolderBusy extends OperatorError {
  readonly holder: Holder

  constructor(dataDir: string, holder: Holder) {
    super(
      `The data folder ${dataDir} is in use by \`${holder.command}\` (process ${holder.pid}, since ${holder.since}).\n` +
        'Stop that process first, or choose another folder with --data <folder>.',
    )
    this.holder = holder
  }
}

const LOCK_FILE = 'auspex.lock'
const UPSTREAMS_FILE = 'auspex.upstreams'

/** Makes the folder when it is missing; says what to do when it cannot be used. */
export function prepareDataFolder(dataDir: string): void {
  try {
    // Root's database runs under another user, which must pass through the folder without listing it.
    if (makeFolder(dataDir)) chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700)
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new OperatorError(
      `Cannot use the data folder ${dataDir}: ${messageOf(error)}.\n` +
        'Make it writable for this user, or choose another with --data <folder> or AUSPEX_DATA.',
      1,
      { cause: error },
    )
  }
}

// Node's own recursive mkdir never returns below /proc and its like.
function makeFolder(path: string): boolean {
  if (existsSync(path)) return false
  makeFolder(dirname(path))
  mkdirSync(path)
  return true
}

/** The living process that holds the folder, if one does. */
export function findHolder(dataDir: string): Holder | undefined {
  const holder = readHolder(join(dataDir, LOCK_FILE))
  return holder !== undefined && isAlive(holder) ? holder : undefined
}

/** What commands take over from the service on their folder: the upstreams that they ask, its plans and its address. */
export type ServiceUpstreams = {
  polygonUrl?: string | undefined
  dataApiUrl?: string | undefined
  plansFile?: string | undefined
  /** Where it listens; absent: not yet. */
  url?: string | undefined
}

/** Leaves word of the upstreams of a service, for commands on its folder. An address may hold a key. */
export function writeServiceUpstreams(dataDir: string, lent: ServiceUpstreams): void {
  const { polygonUrl, dataApiUrl, plansFile, url } = lent
  const path = join(dataDir, UPSTREAMS_FILE)
  rmSync(path, { force: true })
  writeFileSync(path, JSON.stringify({ polygonUrl, dataApiUrl, plansFile, url }), { mode: 0o600 })
}

/** Those of the service that holds the folder; none when no service does. */
export function readServiceUpstreams(dataDir: string): ServiceUpstreams {
  const path = join(dataDir, UPSTREAMS_FILE)
  const isLent = findHolder(dataDir)?.isService === true && existsSync(path)
  return isLent ? (JSON.parse(readFileSync(path, 'utf8')) as ServiceUpstreams) : {}
}

/** Takes the folder for this process alone. A lock that a dead process left behind is replaced. */
export function lockDataFolder(dataDir: string, owner: LockOwner): FolderLock {
  const path = join(dataDir, LOCK_FILE)
  const mine = join(dataDir, `${LOCK_FILE}.${process.pid}`)
  const identity = processIdentity(process.pid) ?? String(process.pid)
  const token = randomUUID()
  const since = new Date().toISOString()
  const holder: Holder = { pid: process.pid, identity, ...owner, since, token }
  writeFileSync(mine, JSON.stringify(holder), { mode: 0o644 })
  try {
    while (true) {
      tryLink(mine, path)
      const found = readHolder(path)
      if (found?.token === token) break
      if (found !== undefined && isAlive(found)) throw new FolderBusy(dataDir, found)
      removeStale(path, mine)
    }
  } finally {
    rmSync(mine, { force: true })
  }
  return {
    release: () => {
      if (readHolder(path)?.token === token) rmSync(path, { force: true })
    },
  }
}

// A link appears whole or not at all, and never over an existing file: of two starts one wins.
function tryLink(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

// Another start may have replaced the stale lock since we read it: the file that was moved away is
// read again, and put back when its owner lives.
function removeStale(path: string, mine: string): void {
  const aside = `${mine}.stale`
  try {
    renameSync(path, aside)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  const moved = readHolder(aside)
  if (moved !== undefined && isAlive(moved)) tryLink(aside, path)
  rmSync(aside, { force: true })
}

const isAlive = ({ pid, identity }: Holder): boolean => processIdentity(pid) === identity

function readHolder(path: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder
  } catch {
    return undefined
  }
}
