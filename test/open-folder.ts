import { chmodSync, existsSync, mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
/** The databases of a run stay far below it. */
const MEMORY_BYTES_MIN = 8 * 1024 ** 3

/** A temporary folder that another user may enter, as the database of a root process must. */
export function makeOpenFolder(name: string): string {
  const folder = mkdtempSync(join(findParent(), `auspex-${name}-`))
  chmodSync(folder, 0o755)
  return folder
}

/** In memory where Linux has room for it: a copy of a database takes a tenth of the time there. */
function findParent(): string {
  if (!existsSync(MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize > MEMORY_BYTES_MIN ? MEMORY : tmpdir()
}
