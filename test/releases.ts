import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

const FOLDER = join(import.meta.dirname, 'releases')

/** A database that a release made, and what it answered: written by scripts/export-release.js. */
export type Release = {
  schema: number
  dataset: string
  /** Of an account in it. */
  key: string
  /** Decrypts the secrets of webhooks in it. */
  secretKey: string
  /** By path and query. */
  answers: Record<string, object>
  /** Statements that make them, and their indexes. */
  partitions: string[]
  /** Rows are JSON. */
  tables: { name: string; columns: string[]; rows: string }[]
  sequences: { name: string; value: string }[]
}

/** The last migration of each release, the oldest first. */
export const RELEASED_SCHEMAS: readonly number[] = readdirSync(FOLDER)
  .map((name) => Number(/^schema-(\d+)\.json\.br$/.exec(name)?.[1]))
  .sort((a, b) => a - b)

export const readRelease = (schema: number): Release =>
  JSON.parse(brotliDecompressSync(readFileSync(join(FOLDER, `schema-${schema}.json.br`))).toString())
