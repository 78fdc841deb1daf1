import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { codeOf } from '../../core/errors.js'
import type { ArchiveStore } from './archive-store.js'

/** Readers of Parquet pass over names that begin with a dot, and so does `list`. */
const PARTIAL = /^\..*\.partial-\d+$/

/** An archive in a folder. A file is written under another name, flushed to the disk, and gets its own name then. */
export function createFolderStore(folder: string): ArchiveStore {
  const pathOf = (path: string) => join(folder, path)

  return {
    location: folder,
    async read(path) {
      try {
        return await readFile(pathOf(path))
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return undefined
        throw error
      }
    },
    stream: (path) => createReadStream(pathOf(path)),
    async open(path) {
      const file = await open(pathOf(path))
      const { size } = await file.stat()
      return {
        byteLength: size,
        async slice(start, end = size) {
          const bytes = new Uint8Array(end - start)
          await file.read(bytes, 0, bytes.length, start)
          return bytes.buffer
        },
        close: () => file.close(),
      }
    },
    async write(path, chunks) {
      const target = pathOf(path)
      await mkdir(dirname(target), { recursive: true })
      const partial = join(
        dirname(target),
        `.${target.slice(dirname(target).length + 1)}.partial-${process.pid}`,
      )
      try {
        await pipeline(
          Readable.from(chunks, { objectMode: false }),
          createWriteStream(partial, { flush: true }),
        )
        await rename(partial, target)
      } finally {
        await rm(partial, { force: true })
      }
    },
    remove: (path) => rm(pathOf(path), { force: true }),
    async removeUnfinished() {
      for (const { name, parentPath } of await filesBelow(folder)) {
        if (PARTIAL.test(name)) await rm(join(parentPath, name), { force: true })
      }
    },
    async list(below) {
      const files = await filesBelow(pathOf(below))
      return files
        .filter(({ name }) => !name.startsWith('.'))
        .map(({ name, parentPath }) => relative(folder, join(parentPath, name)).split(sep).join('/'))
        .sort()
    },
    close: async () => undefined,
  }
}

async function filesBelow(folder: string) {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile())
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}
