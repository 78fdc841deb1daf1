import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepHeapSmall } from '../../src/lib/heap.js'
import { createPool, type Pool } from '../../src/store/connection.js'
import { lockDataFolder } from '../../src/store/data-folder.js'
import { startServer } from '../../src/store/embedded/server.js'
import { migrate, readMigrations } from '../../src/store/migrate.js'
import { tidyLater } from './tidy.js'

export type KeptDatabase = { socketDir: string; database: string }

/** As many as an ingester has. */
const CONNECTIONS = 1

/** A PostgreSQL of the bench's own, tuned as the service tunes it; this process then stands for the service. */
export class BenchServer {
  readonly #socketDir: string
  readonly #admin: Pool

  private constructor(socketDir: string) {
    this.#socketDir = socketDir
    this.#admin = this.#open('postgres', 1)
  }

  static start(): Promise<BenchServer> {
    const dataDir = mkdtempSync(join(tmpdir(), 'auspex-bench-'))
    tidyLater(async () => rmSync(dataDir, { recursive: true, force: true }))
    return BenchServer.#startIn(dataDir)
  }

  /** On a folder that stays when the bench ends, for databases that take minutes to build. */
  static startKept(dataDir: string): Promise<BenchServer> {
    mkdirSync(dataDir, { recursive: true })
    const lock = lockDataFolder(dataDir, { command: 'bench', isService: false })
    tidyLater(async () => lock.release())
    return BenchServer.#startIn(dataDir)
  }

  static async #startIn(dataDir: string): Promise<BenchServer> {
    keepHeapSmall()
    chmodSync(dataDir, 0o711)
    const server = await startServer(dataDir)
    tidyLater(() => server.stop())
    return new BenchServer(server.socketDir)
  }

  /** With the schema and nothing in it. */
  async createDatabase(name: string, connections = CONNECTIONS): Promise<Pool> {
    await this.#admin`create database ${this.#admin(name)}`
    const pool = this.#open(name, connections)
    await migrate(pool, readMigrations())
    return pool
  }

  /** Builds it unless it is there whole; drops those whose names begin with `stale`. */
  async keepDatabase(
    name: string,
    stale: string,
    build: (pool: Pool) => Promise<void>,
  ): Promise<KeptDatabase> {
    const admin = this.#admin
    const found = await admin<{ name: string }[]>`
      select datname as name from pg_database where starts_with(datname, ${stale})`
    if (!found.some((database) => database.name === name)) {
      for (const old of found) await admin`drop database ${admin(old.name)} with (force)`
      const draft = `${stale}draft`
      const pool = await this.createDatabase(draft)
      await build(pool)
      await pool.end()
      await admin`alter database ${admin(draft)} rename to ${admin(name)}`
    }
    return { socketDir: this.#socketDir, database: name }
  }

  #open(database: string, connections: number): Pool {
    const pool = createPool({ socketDir: this.#socketDir, database }, connections)
    tidyLater(() => pool.end({ timeout: 0 }))
    return pool
  }
}
