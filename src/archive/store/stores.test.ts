import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeOpenFolder } from '../../../test/open-folder.js'
import { type ArchiveStore, writeText } from './archive-store.js'
import { createFolderStore } from './folder-store.js'
import { createS3Store } from './s3-store.js'
import { startS3Server } from './test-s3-server.js'

const BUCKET = 'research'

let server: Awaited<ReturnType<typeof startS3Server>>
let folder: string
beforeAll(async () => {
  server = await startS3Server({ bucket: BUCKET })
  folder = makeOpenFolder('store')
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

async function* inChunks(bytes: Buffer, size = 1_000_000) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}

describe.each<[string, () => ArchiveStore]>([
  ['a folder', () => createFolderStore(folder)],
  ['a bucket', () => createS3Store({ bucket: BUCKET, prefix: 'auspex/history' }, server.config)],
])('%s', (_name, open) => {
  test('gives back what was written: whole, in parts, and replaced', async () => {
    const store = open()
    // More than one part of an upload.
    const bytes = randomBytes(17 * 1024 * 1024)
    await store.write('table=fills/day=2026-11-14/part-0000.parquet', inChunks(bytes))
    expect(
      Buffer.compare(await readAll(store.stream('table=fills/day=2026-11-14/part-0000.parquet')), bytes),
    ).toBe(0)
    const file = await store.open('table=fills/day=2026-11-14/part-0000.parquet')
    expect(file.byteLength).toBe(bytes.length)
    expect(Buffer.from(await file.slice(1_000, 2_000)).equals(bytes.subarray(1_000, 2_000))).toBe(true)
    expect(Buffer.from(await file.slice(bytes.length - 8)).equals(bytes.subarray(-8))).toBe(true)
    await file.close()

    await writeText(store, '_days/2026-11-14.json', 'one')
    await writeText(store, '_days/2026-11-14.json', 'two')
    expect(String(await store.read('_days/2026-11-14.json'))).toBe('two')
    await store.close()
  })

  test('lists what is below a folder, and what was removed no more', async () => {
    const store = open()
    for (const name of ['b', 'a', 'c']) await writeText(store, `list/${name}.json`, name)
    await writeText(store, 'listless.json', 'x')
    await store.remove('list/c.json')
    expect(await store.list('list')).toEqual(['list/a.json', 'list/b.json'])
    expect(await store.read('list/c.json')).toBeUndefined()
    expect(await store.list('nothing')).toEqual([])
    await store.close()
  })

  test('has no file whose writing failed', async () => {
    const store = open()
    const failing = async function* () {
      yield randomBytes(17 * 1024 * 1024)
      throw new Error('the database is gone')
    }
    await expect(store.write('failed/part-0000.parquet', failing())).rejects.toThrow(/the database is gone/)
    expect(await store.list('failed')).toEqual([])
    await store.removeUnfinished()
    await store.close()
  })
})

test('a bucket that is not there is an error that names it', async () => {
  const store = createS3Store({ bucket: 'missing', prefix: '' }, server.config)
  await expect(store.list('_days')).rejects.toThrow(/^s3:\/\/missing cannot be used: /)
  await store.close()
})
