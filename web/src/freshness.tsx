import { Link } from '@tanstack/react-router'
import type { Answer } from 'auspex-client'
import { useApi } from './api.js'
import { toMs } from './format.js'

/** An upstream with few calls may have failed long ago. */
const RECENT_MS = 300_000

/** Names on every page the checks and upstreams that fail now, because what depends on them may be old. */
export function Freshness() {
  const status = useApi('/v1/status/overview', { everyMs: 15_000 })
  const problems = status.data === undefined ? [] : problemsOf(status.data)
  if (problems.length === 0) return null
  return (
    <div className="notice" role="status">
      <p>
        Some of what you see may be old or missing (<Link to="/status">status</Link>):
      </p>
      <ul>
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </div>
  )
}

function problemsOf({ readiness, upstreams }: Answer<'/v1/status/overview'>): string[] {
  const parts = Object.entries(readiness.checks).filter(([, problem]) => problem !== 'ok')
  const failing = upstreams.filter(
    ({ state, last_fault: at }) => state === 'failing' && at !== null && Date.now() - toMs(at) < RECENT_MS,
  )
  return [
    ...parts.map(([part, problem]) => `${part}: ${problem}`),
    ...failing.map(({ name }) => `${name} does not answer`),
  ]
}
