import { createHash, type Hash } from 'node:crypto'
import { OperatorError } from '../core/errors.js'
import type { TarEntry } from '../lib/tar.js'
import { VERSION } from '../lib/version.js'
import type { Sql } from '../store/connection.js'
import { readMigrations } from '../store/migrate.js'

/**
 * The first entry of a backup: what it is of. Then come `secret.key`, if the data folder has one, the
 * files of the cluster below `cluster/`, and the checksum of all that, last.
 */
export type BackupManifest = {
  format: number
  auspex: string
  created_at: string
  /** Of the files: another major version of PostgreSQL, or another platform, cannot read them. */
  postgres: number
  platform: string
  dataset: string
  schema: number
  /** The last booked block when the backup began; null: none was. */
  block: number | null
}

const FORMAT = 1
export const ENTRY_NAMES = {
  manifest: 'manifest.json',
  key: 'secret.key',
  cluster: 'cluster/',
  checksum: 'checksum.sha256',
} as const

const PLATFORM = `${process.platform}-${process.arch}`

type StateRow = Pick<BackupManifest, 'postgres' | 'dataset' | 'schema' | 'block'>

export async function describeBackup(sql: Sql, createdAt: Date): Promise<BackupManifest> {
  const [row] = await sql<StateRow[]>`
    select current_setting('server_version_num')::integer / 10000 as postgres,
           coalesce((select name from dataset), '') as dataset,
           (select max(version) from schema_migrations) as schema,
           (select block from chain_state) as block`
  if (row === undefined) throw new Error('the state of the database cannot be read')
  const created_at = createdAt.toISOString()
  return { format: FORMAT, auspex: VERSION, created_at, platform: PLATFORM, ...row }
}

/** Throws what the operator has to know when this build cannot read the files. */
export function parseManifest(text: string, postgres: number): BackupManifest {
  const manifest = JSON.parse(text) as BackupManifest
  const of = `The backup is of Auspex ${manifest.auspex}`
  if (manifest.format !== FORMAT || manifest.schema > readMigrations().length) {
    throw new OperatorError(
      `${of}, whose database is newer than this version (${VERSION}) can read.\n` +
        'Install that version, or a later one, and restore with it.',
    )
  }
  if (manifest.postgres !== postgres || manifest.platform !== PLATFORM) {
    throw new OperatorError(
      `${of} with PostgreSQL ${manifest.postgres} on ${manifest.platform}; here it is PostgreSQL ` +
        `${postgres} on ${PLATFORM}, which cannot read its files.\n` +
        'Restore it on a machine of the same kind, with the version of Auspex that made it.',
    )
  }
  return manifest
}

/** Adds up the entries of a backup, names and lengths included. */
export class BackupChecksum {
  readonly #hash: Hash = createHash('sha256')

  /** The entry, which counts while its body is read. */
  count({ name, size, body }: TarEntry): TarEntry {
    const hash = this.#hash
    async function* counted() {
      hash.update(`${name}\0${size}\0`)
      for await (const chunk of body) {
        hash.update(chunk)
        yield chunk
      }
    }
    return { name, size, body: counted() }
  }

  digest(): string {
    return this.#hash.digest('hex')
  }
}
