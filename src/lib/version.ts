import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_DIR } from './package-folder.js'

export const VERSION: string = JSON.parse(readFileSync(join(PACKAGE_DIR, 'package.json'), 'utf8')).version

/** The commit that was built, shortened. `undefined`: not known, as without Git. */
export const COMMIT = readCommit(new URL('../commit.txt', import.meta.url))

function readCommit(file: URL): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}
