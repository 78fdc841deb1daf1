import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepHeapSmall } from '../../src/lib/heap.js'
import { createPool, type Pool } from '../../src/store/connection.js'
import { startServer } from '../../src/store/embedded/server.js'
import { migrate, readMigrations } from '../../src/store/migrate.js'
import { tidyLater } from './tidy.js'

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

  static async start(): Promise<BenchServer> {
    keepHeapSmall()
    const dataDir = mkdtempSync(join(tmpdir(), 'auspex-bench-'))
    chmodSync(dataDir, 0o711)
    tidyLater(async () => rmSync(dataDir, { recursive: true, force: true }))
    const server = await startServer(dataDir)
    tidyLater(() => server.stop())
    return new BenchServer(server.socketDir)
  }

  /** With the schema and nothing in it. */
  async createDatabase(name: string): Promise<Pool> {
    await this.#admin`create database ${this.#admin(name)}`
    const pool = this.#open(name, CONNECTIONS)
    await migrate(pool, readMigrations())
    return pool
  }

  #open(database: string, connections: number): Pool {
    const pool = createPool({ socketDir: this.#socketDir, database }, connections)
    tidyLater(() => pool.end({ timeout: 0 }))
    return pool
  }
}
