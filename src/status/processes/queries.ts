import type { Role } from '../../config/roles.js'
import type { FollowerStatus } from '../../core/chain-status.js'
import type { HealthCheck } from '../../jobs/job.js'
import type { Sql } from '../../store/connection.js'

/** A process without a sign of life for longer has died. Some times as long as the pause between two signs. */
const ALIVE_SECONDS = 10

/** What a process writes of itself. */
export type ProcessReport = {
  id: string
  roles: readonly Role[]
  host: string
  pid: number
  version: string
  startedMs: number
  chainPhase: FollowerStatus['phase'] | 'off'
  status: HealthCheck['status']
  jobs: readonly string[]
  warnings: readonly string[]
}

export type LiveProcess = Pick<
  ProcessReport,
  'id' | 'roles' | 'version' | 'chainPhase' | 'status' | 'jobs' | 'warnings'
> & { startedSec: number; ageSec: number }

/** Times are those of the database: clocks of machines differ. */
export async function upsertProcess(sql: Sql, report: ProcessReport): Promise<void> {
  const { id, roles, host, pid, version, startedMs, chainPhase, status, jobs, warnings } = report
  await sql`
    insert into processes (id, roles, host, pid, version, started_at, seen_at, chain_phase, status, jobs, warnings)
    values (${id}, ${roles}::text[], ${host}, ${pid}, ${version}, to_timestamp(${startedMs / 1000}), now(),
            ${chainPhase}, ${status}, ${jobs}::text[], ${warnings}::text[])
    on conflict (id) do update
       set seen_at = excluded.seen_at,
           chain_phase = excluded.chain_phase,
           status = excluded.status,
           jobs = excluded.jobs,
           warnings = excluded.warnings`
}

export async function deleteProcess(sql: Sql, id: string): Promise<void> {
  await sql`delete from processes where id = ${id}`
}

/** Forgets processes that died without a word. */
export async function deleteDeadProcesses(sql: Sql): Promise<void> {
  await sql`delete from processes where seen_at < now() - interval '1 minute'`
}

/** The oldest first. A table of as many rows as there are processes is read as a whole. */
export function selectLiveProcesses(sql: Sql) {
  return sql<LiveProcess[]>`
    select id, roles, version, chain_phase, status, jobs, warnings,
           extract(epoch from started_at)::int as started_sec,
           greatest(0, extract(epoch from now() - seen_at))::int as age_sec
      from processes
     where seen_at > now() - make_interval(secs => ${ALIVE_SECONDS})
     order by started_at, id`
}
