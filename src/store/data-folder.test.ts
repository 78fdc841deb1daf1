import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { OperatorError } from '../core/errors.js'
import { processIdentity } from '../lib/process-identity.js'
import {
  findHolder,
  lockDataFolder,
  prepareDataFolder,
  readServiceUpstreams,
  writeServiceUpstreams,
} from './data-folder.js'

const UP = { command: 'auspex up', isService: true }

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'auspex-lock-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const writeLock = (pid: number, identity: string) =>
  writeFileSync(
    join(dataDir, 'auspex.lock'),
    JSON.stringify({ ...UP, pid, identity, since: '2026-11-15T00:00:00Z', token: 't' }),
  )

describe('lockDataFolder', () => {
  test('refuses a folder that a living process holds, and names it', () => {
    const lock = lockDataFolder(dataDir, UP)
    const again = () => lockDataFolder(dataDir, { command: 'auspex keys list', isService: false })
    expect(again).toThrow(OperatorError)
    expect(again).toThrow(`in use by \`auspex up\` (process ${process.pid}, since`)
    lock.release()
    expect(readdirSync(dataDir)).toEqual([])
  })

  test('replaces the lock of a process that is gone', async () => {
    const child = spawn('sleep', ['60'])
    const identity = processIdentity(child.pid ?? 0) ?? ''
    child.kill('SIGKILL')
    await once(child, 'exit')
    writeLock(child.pid ?? 0, identity)
    lockDataFolder(dataDir, UP)
    expect(findHolder(dataDir)?.pid).toBe(process.pid)
  })

  test('replaces a lock whose process id now belongs to another process', () => {
    writeLock(process.pid, `${process.pid}@another-start`)
    lockDataFolder(dataDir, UP)
    expect(findHolder(dataDir)?.identity).toBe(processIdentity(process.pid))
  })

  test('replaces a lock file that is no lock', () => {
    writeFileSync(join(dataDir, 'auspex.lock'), '{"pid":')
    expect(() => lockDataFolder(dataDir, UP)).not.toThrow()
  })
})

test('a service leaves word of its upstreams while it holds the folder', () => {
  const upstreams = { polygonUrl: 'http://node.example/key', dataApiUrl: 'http://data.example' }
  writeServiceUpstreams(dataDir, upstreams)
  expect(readServiceUpstreams(dataDir)).toEqual({})
  const lock = lockDataFolder(dataDir, UP)
  expect(readServiceUpstreams(dataDir)).toEqual(upstreams)
  writeServiceUpstreams(dataDir, { dataApiUrl: 'http://data.example' })
  expect(readServiceUpstreams(dataDir)).toEqual({ dataApiUrl: 'http://data.example' })
  lock.release()
})

test.each(['file/data', 'file', '/proc/auspex'])('prepareDataFolder says what to do about %s', (path) => {
  writeFileSync(join(dataDir, 'file'), '')
  const prepare = () => prepareDataFolder(path.startsWith('/') ? path : join(dataDir, path))
  expect(prepare).toThrow(OperatorError)
  expect(prepare).toThrow(/Cannot use the data folder .*--data <folder> or AUSPEX_DATA/s)
})
