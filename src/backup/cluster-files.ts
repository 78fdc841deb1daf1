import { readdirSync, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../core/errors.js'
import type { TarEntry } from '../lib/tar.js'

export type ClusterFile = { path: string; size: number }

/** What belongs to the running server and not to its data. The list of PostgreSQL's own base backup. */
const LEFT_OUT = new Set([
  'postmaster.pid',
  'postmaster.opts',
  'backup_label',
  'tablespace_map',
  'current_logfiles',
  // Read apart: see `readControlFile`.
  'global/pg_control',
])
const EMPTIED_FOLDERS = new Set([
  'pg_wal',
  'pg_wal/archive_status',
  'pg_wal/summaries',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
])
const TEMPORARY = /(^|\/)(pgsql_tmp|pg_internal\.init)/

/** The folders and files of a cluster that a backup needs, WAL excepted. Folders end with `/`. */
export function listCluster(clusterDir: string): ClusterFile[] {
  const files: ClusterFile[] = []
  const entries = readdirSync(clusterDir, { withFileTypes: true, recursive: true })
  for (const entry of entries) {
    const parent = entry.parentPath.slice(clusterDir.length + 1)
    const path = parent === '' ? entry.name : `${parent}/${entry.name}`
    if (TEMPORARY.test(path) || LEFT_OUT.has(path)) continue
    if (entry.isDirectory()) files.push({ path: `${path}/`, size: 0 })
    else if (!EMPTIED_FOLDERS.has(parent)) files.push({ path, size: sizeOf(clusterDir, path) })
  }
  return files
}

/** Files come and go meanwhile. */
const sizeOf = (clusterDir: string, path: string): number =>
  statSync(join(clusterDir, path), { throwIfNoEntry: false })?.size ?? 0

const CHUNK_BYTES = 256 * 1024

/** `undefined`: the file is gone. The WAL has what happened to it meanwhile, also to pages that are read half-written. */
export async function readClusterFile(
  clusterDir: string,
  path: string,
  name: string,
): Promise<TarEntry | undefined> {
  let file: FileHandle
  try {
    file = await open(join(clusterDir, path), 'r')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
  const { size } = await file.stat()
  return { name, size, body: readAll(file, size) }
}

/** As many bytes as the file had: one that got shorter is filled up with zeros, which recovery cuts off again. */
async function* readAll(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  try {
    for (let at = 0; at < size; ) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - at))
      const { bytesRead } = await file.read(chunk, 0, chunk.length, at)
      if (bytesRead === 0) chunk.fill(0)
      const read = bytesRead === 0 ? chunk : chunk.subarray(0, bytesRead)
      at += read.length
      yield read
    }
  } finally {
    await file.close()
  }
}

const CONTROL_READS_MAX = 100

/** The server rewrites it in place, and no WAL repairs it: it is read until two readings are the same. */
export async function readControlFile(clusterDir: string): Promise<Buffer> {
  let before = await readWhole(clusterDir)
  for (let reads = 1; reads < CONTROL_READS_MAX; reads++) {
    const after = await readWhole(clusterDir)
    if (after.equals(before)) return after
    before = after
  }
  throw new Error('pg_control changes all the time')
}

async function readWhole(clusterDir: string): Promise<Buffer> {
  const file = await open(join(clusterDir, 'global/pg_control'), 'r')
  try {
    return await file.readFile()
  } finally {
    await file.close()
  }
}

const SEGMENTS_PER_LOG = 256

/** The names of the WAL segments of 16 MB from one to another, both included. */
export function listSegments(first: string, last: string): string[] {
  const timeline = first.slice(0, 8)
  const numberOf = (name: string) =>
    Number.parseInt(name.slice(8, 16), 16) * SEGMENTS_PER_LOG + Number.parseInt(name.slice(16), 16)
  const names: string[] = []
  for (let number = numberOf(first); number <= numberOf(last); number++) {
    const parts = [Math.floor(number / SEGMENTS_PER_LOG), number % SEGMENTS_PER_LOG]
    names.push(`${timeline}${parts.map((part) => hexWord(part)).join('')}`)
  }
  return names
}

const hexWord = (value: number): string => value.toString(16).toUpperCase().padStart(8, '0')
