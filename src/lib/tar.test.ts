import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readTar, type TarEntry, writeTar } from './tar.js'

type File = { name: string; bytes: Uint8Array }

async function* toEntries(files: readonly File[]): AsyncGenerator<TarEntry> {
  for (const { name, bytes } of files) {
    yield { name, size: bytes.length, body: inChunks(Buffer.from(bytes), 1_000) }
  }
}

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function collect(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}

async function read(archive: Buffer, chunkSize: number): Promise<File[]> {
  const files: File[] = []
  for await (const { name, body } of readTar(inChunks(archive, chunkSize))) {
    files.push({ name, bytes: new Uint8Array(await collect(body)) })
  }
  return files
}

const name = fc.stringMatching(/^[a-zé0-9_/.]{1,40}$/).filter((text) => !text.endsWith('/'))
const file = fc.record({ name, bytes: fc.uint8Array({ maxLength: 3_000 }) })

test('an archive gives back every file, whatever the chunks that it comes in', async () => {
  const files = fc.array(file, { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(files, fc.integer({ min: 1, max: 2_000 }), async (given, chunkSize) => {
      const archive = await collect(writeTar(toEntries(given)))
      expect(archive.length % 512).toBe(0)
      expect(await read(archive, chunkSize)).toEqual(given)
    }),
    { numRuns: 50 },
  )
})

test('an archive that is cut short or damaged is refused', async () => {
  const files = [{ name: 'base/1', bytes: new Uint8Array(2_000).fill(7) }]
  const archive = await collect(writeTar(toEntries(files)))
  for (const length of [0, 100, 512, 2_000, 2_511, 2_560]) {
    await expect(read(archive.subarray(0, length), 700)).rejects.toThrow('cut short')
  }
  archive.writeUInt8(archive.readUInt8(3) ^ 1, 3)
  await expect(read(archive, 700)).rejects.toThrow('damaged')
})

test('a body of another length than its entry says, and a name that does not fit, are refused', async () => {
  const write = (entry: TarEntry) =>
    collect(
      writeTar(
        (async function* () {
          yield entry
        })(),
      ),
    )
  const body = () => inChunks(Buffer.from('four'), 4)
  await expect(write({ name: 'a', size: 5, body: body() })).rejects.toThrow('has 4 bytes, not 5')
  await expect(write({ name: 'é'.repeat(51), size: 4, body: body() })).rejects.toThrow('too long')
})
