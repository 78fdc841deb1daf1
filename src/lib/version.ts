import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The version of the package, whether we run from `src/` or from `dist/src/`. */
export const VERSION = readVersion(dirname(fileURLToPath(import.meta.url)))

/** The commit that was built, shortened. `undefined`: not known, as without Git. */
export const COMMIT = readCommit(new URL('../commit.txt', import.meta.url))

function readCommit(file: URL): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}

function readVersion(folder: string): string {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return manifest.version
  } catch {
    return readVersion(dirname(folder))
  }
}
