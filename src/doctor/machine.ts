import { existsSync, statfsSync } from 'node:fs'
import { totalmem } from 'node:os'
import { dirname } from 'node:path'
import type { Config } from '../config/config.js'
import { OperatorError } from '../core/errors.js'
import { VERSION } from '../lib/version.js'
import { findHolder, prepareDataFolder } from '../store/data-folder.js'
import { type Diagnosis, failedBy, fine } from './diagnosis.js'

const GIB = 2 ** 30
/** Below the first, PostgreSQL may stop within hours; below the second, within days. */
const FREE_BYTES_MIN = GIB
const FREE_BYTES_GOOD = 10 * GIB
/** The service takes half of it, and PostgreSQL the rest. */
const MEMORY_BYTES_GOOD = 1.5 * GIB
/** Signatures of Chainlink and sign-in codes allow for less; `Date` headers are of whole seconds. */
const CLOCK_MS_GOOD = 2_000
const DATE_MS_MAX = 5_000

export const checkMachine = (config: Config): Diagnosis[] => [
  fine('versions', `Auspex ${VERSION}, Node.js ${process.versions.node}`),
  checkMemory(),
  checkFolder(config),
  checkDisk(config),
]

function checkMemory(): Diagnosis {
  const bytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  const finding = fine('memory', `${formatGib(bytes)} GiB`)
  if (bytes >= MEMORY_BYTES_GOOD) return finding
  return {
    ...finding,
    state: 'warning',
    todo: 'The service and its database need 1.5 GiB: give the machine or container more, or set DATABASE_URL.',
  }
}

function checkFolder({ dataDir }: Config): Diagnosis {
  const holder = findHolder(dataDir)
  if (holder !== undefined) {
    return fine('data folder', `${dataDir}, in use by \`${holder.command}\` (process ${holder.pid})`)
  }
  if (!existsSync(dataDir)) return fine('data folder', `${dataDir}, which \`auspex up\` will make`)
  try {
    prepareDataFolder(dataDir)
    return fine('data folder', `${dataDir}, not in use`)
  } catch (error) {
    if (error instanceof OperatorError) return failedBy('data folder', error)
    throw error
  }
}

function checkDisk({ dataDir }: Config): Diagnosis {
  const { bavail, bsize } = statfsSync(nearestFolder(dataDir))
  const free = bavail * bsize
  const finding = fine('disk', `${formatGib(free)} GiB free at ${dataDir}`)
  if (free >= FREE_BYTES_GOOD) return finding
  return {
    ...finding,
    state: free < FREE_BYTES_MIN ? 'failed' : 'warning',
    todo: 'Free some space, or move the folder to a larger disk. docs/scaling.md says what the history takes.',
  }
}

const nearestFolder = (path: string): string => (existsSync(path) ? path : nearestFolder(dirname(path)))

/** By the `Date` headers of upstreams, of which the one in the middle is believed. */
export async function checkClock({ polygonUrl, gammaUrl, clobUrl, dataApiUrl }: Config): Promise<Diagnosis> {
  const urls = [polygonUrl, gammaUrl, clobUrl, dataApiUrl].filter((url) => url !== undefined)
  const offsets = (await Promise.all(urls.map(readOffsetMs))).filter((offset) => offset !== undefined)
  const offset = offsets.sort((a, b) => a - b)[offsets.length >> 1]
  if (offset === undefined) {
    return { part: 'clock', state: 'off', found: 'not checked: no upstream answered with its time' }
  }
  return judgeClock('clock', offset, 'upstreams')
}

/** `offsetMs`: how far the other clock is ahead of ours. */
export function judgeClock(part: string, offsetMs: number, other: string): Diagnosis {
  if (Math.abs(offsetMs) <= CLOCK_MS_GOOD) return fine(part, `as that of ${other}, within 2 s`)
  const seconds = Math.round(Math.abs(offsetMs) / 1_000)
  return {
    part,
    state: 'warning',
    found: `${seconds} s ${offsetMs > 0 ? 'behind' : 'ahead of'} that of ${other}`,
    todo: 'Let the system set it, for example with `timedatectl set-ntp true`.',
  }
}

async function readOffsetMs(url: string): Promise<number | undefined> {
  const askedMs = Date.now()
  try {
    const reply = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(DATE_MS_MAX) })
    const theirMs = Date.parse(reply.headers.get('date') ?? '')
    // The header leaves out the part of its second, and was written half of the time ago.
    return Number.isNaN(theirMs) ? undefined : theirMs + 500 - (askedMs + Date.now()) / 2
  } catch {
    return undefined
  }
}

const formatGib = (bytes: number): string => (bytes / GIB).toFixed(1)
