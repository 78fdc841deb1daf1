import type { Answer } from 'auspex-client'
import { useApi } from '../api.js'
import { formatCount, formatDuration } from '../format.js'
import { Loaded } from '../parts/loaded.js'
import { Figure, Panel } from '../parts/panel.js'
import { Table } from '../parts/table.js'
import { Time } from '../parts/values.js'
import { LastDay } from './last-day.js'

const REFRESH_MS = 10_000

/** What the service is doing, for everybody: no key is needed. */
export function StatusPage() {
  const status = useApi('/v1/status/overview', { everyMs: REFRESH_MS })
  return (
    <>
      <h1>Status</h1>
      <Loaded query={status} height={30}>
        {({
          chain,
          jobs,
          prices,
          orderbooks,
          scores,
          uptime_seconds: uptime,
          warnings,
          not_configured: off,
          ...more
        }) => (
          <>
            {warnings.map((warning) => (
              <p key={warning} className="notice">
                {warning}
              </p>
            ))}
            {chain.problem !== null && <p className="notice">{chain.problem}</p>}
            <dl className="figures">
              <Figure
                title="Chain"
                note={`node at ${chain.node_block === null ? '–' : formatCount(chain.node_block)}`}
              >
                {chain.phase}
              </Figure>
              <Figure title="Head block">{chain.block === null ? '–' : formatCount(chain.block)}</Figure>
              <Figure title="Age of the head">{formatDuration(chain.block_age_seconds ?? 0)}</Figure>
              <Figure title="Sockets">{formatCount(more.ws_subscribers)}</Figure>
              <Figure title="Order books" note={`${formatCount(orderbooks.stale)} stale`}>
                {formatCount(orderbooks.followed)}
              </Figure>
              <Figure title="Games live" note={`scores ${scores.state}`}>
                {formatCount(scores.live)}
              </Figure>
              <Figure title="Up for">{formatDuration(uptime)}</Figure>
            </dl>
            <Facts coverage={more.coverage} audit={more.audit} />
            <LastDay />
            <div className="grid">
              <Panel title="Prices">
                <Table
                  label="Prices"
                  rows={prices}
                  keyOf={({ source }) => source}
                  columns={[
                    { title: 'Source', cell: ({ source }) => source },
                    {
                      title: 'Age',
                      cell: ({ age_seconds: age }) => (age === null ? 'none yet' : formatDuration(age)),
                      isNumber: true,
                    },
                  ]}
                />
              </Panel>
              <Upstreams upstreams={more.upstreams} />
            </div>
            {more.processes.length > 1 && <Processes processes={more.processes} />}
            <Panel title="Jobs">
              <Table
                label="Jobs"
                rows={jobs}
                keyOf={({ name }) => name}
                columns={[
                  { title: 'Job', cell: ({ name }) => name, isText: true },
                  {
                    title: 'State',
                    cell: ({ is_failing: isFailing, is_running: isRunning, last_error: error }) => (
                      <span className={isFailing ? 'badge warn' : 'badge'}>
                        {isFailing ? `failing: ${error ?? ''}` : isRunning ? 'running' : 'waiting'}
                      </span>
                    ),
                  },
                  {
                    title: 'Last start',
                    cell: ({ last_start: at }) => (at === null ? 'never' : <Time at={at} />),
                  },
                  {
                    title: 'Took',
                    cell: ({ last_seconds: seconds }) => (seconds === null ? '–' : `${seconds} s`),
                    isNumber: true,
                  },
                  { title: 'Runs', cell: ({ runs }) => formatCount(runs), isNumber: true },
                  { title: 'Failures', cell: ({ failures }) => formatCount(failures), isNumber: true },
                ]}
              />
            </Panel>
            {off.length > 0 && (
              <Panel title="Not configured">
                <ul className="inside">
                  {off.map(({ feature, setting }) => (
                    <li key={feature}>
                      {feature}: set <code>{setting}</code>
                    </li>
                  ))}
                </ul>
              </Panel>
            )}
          </>
        )}
      </Loaded>
    </>
  )
}

type Status = Answer<'/v1/status/overview'>

const Upstreams = ({ upstreams }: { upstreams: Status['upstreams'] }) => (
  <Panel title="Upstreams">
    <Table
      label="Upstreams"
      rows={upstreams}
      keyOf={({ name }) => name}
      columns={[
        { title: 'Upstream', cell: ({ name }) => name },
        {
          title: 'State',
          cell: ({ state }) => <span className={state === 'failing' ? 'badge warn' : 'badge'}>{state}</span>,
        },
        { title: 'Answers', cell: ({ successes }) => formatCount(successes), isNumber: true },
        { title: 'Faults', cell: ({ faults }) => formatCount(faults), isNumber: true },
        { title: 'Last fault', cell: ({ last_fault: at }) => (at === null ? 'never' : <Time at={at} />) },
        { title: 'Last error', cell: ({ last_error: error }) => error ?? '–', isText: true },
      ]}
    />
  </Panel>
)

/** Those of a service that runs as several; jobs and figures of the page are of the one that answers. */
const Processes = ({ processes }: Pick<Status, 'processes'>) => (
  <Panel title="Processes">
    <Table
      label="Processes"
      rows={processes}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Roles', cell: ({ roles }) => roles.join(', ') },
        {
          title: 'State',
          cell: ({ status }) => (
            <span className={status === 'ready' ? 'badge' : 'badge warn'}>{status.replace('_', ' ')}</span>
          ),
        },
        { title: 'Chain', cell: ({ chain_phase: phase }) => phase },
        { title: 'Started', cell: ({ started }) => <Time at={started} /> },
        { title: 'Jobs', cell: ({ jobs }) => formatCount(jobs.length), isNumber: true },
        { title: 'Version', cell: ({ version }) => version },
        { title: 'Warnings', cell: ({ warnings }) => warnings.join('; ') || '–', isText: true },
      ]}
    />
  </Panel>
)

/** What the service has of history, and when it last compared itself with the facts. */
const Facts = ({ coverage, audit }: Pick<Status, 'coverage' | 'audit'>) => (
  <dl className="figures">
    <Figure
      title="History from"
      note={
        coverage === null
          ? undefined
          : coverage.is_complete
            ? 'without holes'
            : `${coverage.holes.length} holes`
      }
    >
      {coverage?.from?.time == null ? 'none yet' : <Time at={coverage.from.time} />}
    </Figure>
    <Figure
      title="Last audit"
      note={audit?.differences == null ? undefined : `${formatCount(audit.differences)} differences`}
    >
      {audit?.last_run == null ? 'none yet' : <Time at={audit.last_run} />}
    </Figure>
  </dl>
)
