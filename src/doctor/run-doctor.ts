import type { Config } from '../config/config.js'
import { OperatorError } from '../core/errors.js'
import { readServiceUpstreams } from '../store/data-folder.js'
import { checkUpstreams, type UpstreamFinding } from '../upstreams/check.js'
import { checkDatabase } from './database.js'
import type { Diagnosis } from './diagnosis.js'
import { checkClock, checkMachine } from './machine.js'

/** Prints what it finds, the worst of it once more as the error. */
export async function runDoctor(given: Config): Promise<void> {
  const config = { ...given, polygonUrl: given.polygonUrl ?? readServiceUpstreams(given.dataDir).polygonUrl }
  const [clock, database, upstreams] = await Promise.all([
    checkClock(config),
    checkDatabase(config),
    checkUpstreams(config),
  ])
  const found = [...checkMachine(config), clock, ...database, ...upstreams.map(judgeUpstream)]
  console.log(found.map(formatDiagnosis).join('\n'))
  const failed = found.filter(({ state }) => state === 'failed')
  if (failed.length > 0) {
    const parts = failed.map(({ part }) => part).join(', ')
    throw new OperatorError(`Not everything works: ${parts}. The lines above say what to do.`)
  }
}

/** Without the node there is no chain data; what other upstreams lack is missing from answers, and no more. */
function judgeUpstream({ upstream, state, answer, tookMs }: UpstreamFinding): Diagnosis {
  const part = upstream
  if (state === 'off') {
    const isNode = upstream.startsWith('polygon')
    return isNode
      ? { part, state: 'warning', found: answer, todo: 'Set AUSPEX_POLYGON_URL and AUSPEX_POLYGON_WS_URL.' }
      : { part, state: 'off', found: answer }
  }
  if (state === 'ok') return { part, state: 'ok', found: `${answer}, ${tookMs} ms` }
  const todo =
    'Check the address and its credentials with `auspex config`, and whether this machine may connect to it.'
  return { part, state: 'failed', found: answer, todo }
}

const MARKS = { ok: 'ok     ', warning: 'WARNING', failed: 'FAILED ', off: 'off    ' } as const
const PART_WIDTH = 18

function formatDiagnosis({ part, state, found, todo }: Diagnosis): string {
  const line = `${MARKS[state]}  ${part.padEnd(PART_WIDTH)}  ${found}`
  return todo ? `${line}\n${' '.repeat(PART_WIDTH + 11)}→ ${todo}` : line
}
