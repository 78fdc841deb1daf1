import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The version of the package, whether we run from `src/` or from `dist/src/`. */
export const VERSION = readVersion(dirname(fileURLToPath(import.meta.url)))

function readVersion(folder: string): string {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return manifest.version
  } catch {
    return readVersion(dirname(folder))
  }
}
