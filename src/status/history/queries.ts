import type { Sql } from '../../store/connection.js'

/** One process in one minute. */
export type StatusSample = {
  atMs: number
  /** 0 ready, 1 degraded, 2 not ready. */
  status: number
  headBlock: number
  headAgeSec: number | null
  requests: number
  serverErrors: number
  upstreamFaults: number
  failing: string[]
}

/** Writes the minute of a process, once or again. */
export async function upsertSample(sql: Sql, process: string, sample: StatusSample): Promise<void> {
  await sql`
    insert into status_samples (at, process, status, head_block, head_age_seconds, requests, server_errors,
                                upstream_faults, failing)
    values (${new Date(sample.atMs)}, ${process}, ${sample.status}, ${sample.headBlock}, ${sample.headAgeSec},
            ${sample.requests}, ${sample.serverErrors}, ${sample.upstreamFaults}, ${sample.failing})
    on conflict (at, process) do update
       set (status, head_block, head_age_seconds, requests, server_errors, upstream_faults, failing) =
           (excluded.status, excluded.head_block, excluded.head_age_seconds, excluded.requests,
            excluded.server_errors, excluded.upstream_faults, excluded.failing)`
}

/** Forgets minutes before this time. Index: status_samples_pkey. */
export async function deleteOldSamples(sql: Sql, beforeMs: number): Promise<void> {
  await sql`delete from status_samples where at < ${new Date(beforeMs)}`
}

/** Some minutes of all processes together. */
export type StatusStep = Omit<StatusSample, 'atMs'> & { at: Date }

type StepQuery = { fromMs: number; toMs: number; stepSeconds: number }

/**
 * Steps that have a sample, the oldest first. A minute is as good as its best process, because requests find that one;
 * a step is as bad as its worst minute. Index: status_samples_pkey.
 */
export const selectSteps = (sql: Sql, { fromMs, toMs, stepSeconds }: StepQuery) => sql<StatusStep[]>`
  with minutes as (
    select at, min(status) as status, max(head_block) as head_block, min(head_age_seconds) as head_age_seconds,
           sum(requests) as requests, sum(server_errors) as server_errors, sum(upstream_faults) as upstream_faults
      from status_samples
     where at >= ${new Date(fromMs)} and at < ${new Date(toMs)}
     group by at
  ), steps as (
    select date_bin(make_interval(secs => ${stepSeconds}), at, 'epoch') as at, max(status)::int as status,
           max(head_block) as head_block, max(head_age_seconds) as head_age_sec, sum(requests)::float8 as requests,
           sum(server_errors)::float8 as server_errors, sum(upstream_faults)::float8 as upstream_faults
      from minutes
     group by 1
  )
  select steps.*,
         array(select distinct name
                 from status_samples s, unnest(s.failing) as name
                where s.at >= steps.at and s.at < steps.at + make_interval(secs => ${stepSeconds})
                order by name) as failing
    from steps
   order by at
   limit ${Math.ceil((toMs - fromMs) / 1000 / stepSeconds) + 1}`
