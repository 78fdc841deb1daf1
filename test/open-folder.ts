import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A temporary folder that another user may enter, as the database of a root process must. */
export function makeOpenFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `auspex-${name}-`))
  chmodSync(folder, 0o755)
  return folder
}
