import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Where `package.json` is, whether the code runs from `src/` or from `dist/`. */
export const PACKAGE_DIR = findPackageDir(import.meta.dirname)

function findPackageDir(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  if (dirname(folder) === folder) throw new Error('Auspex was installed without its package.json')
  return findPackageDir(dirname(folder))
}

/** The pages of the documentation. */
export const DOCS_DIR = join(PACKAGE_DIR, 'docs')
