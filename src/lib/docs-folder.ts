import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Where the pages of the documentation are: beside `package.json`, whether the code runs from `src/` or from `dist/`. */
export const DOCS_DIR = findDocsDir(import.meta.dirname)

function findDocsDir(folder: string): string | undefined {
  if (existsSync(join(folder, 'package.json'))) return join(folder, 'docs')
  return dirname(folder) === folder ? undefined : findDocsDir(dirname(folder))
}

/** The anchor of a heading, as links in Markdown have it. */
export const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
