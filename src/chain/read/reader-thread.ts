import { parentPort } from 'node:worker_threads'
import { LogDecoder } from '../../upstreams/polygon/decode.js'
import type { ChainLog } from '../../upstreams/polygon/log.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import { type LogPage, parsePage } from '../../upstreams/polygon/page.js'
import type { Head } from '../../upstreams/polygon/parse.js'
import { attributeBatch } from '../attribute/attribute-batch.js'
import { UntrustedLogsError } from '../attribute/order-logs.js'
import { poolsIn } from '../facts/raw-log.js'
import { dateLogs, type KnownHeads, sizeOfLogs, toKnownHeads, undatedBlocks } from './dates.js'
import { toBatchBlock } from './headers.js'
import { packFacts } from './pack-facts.js'

// Runs in a thread of its own: parses the answers of a node and attributes their logs, page by page, so that
// the thread that books and serves only gets bytes with facts. Each question has one answer, in their order.

export type ThreadQuestion = ParseQuestion | AttributeQuestion

type ParseQuestion = { kind: 'parse'; page: number; body: ArrayBuffer; range: BlockRange; ids: number[] }

type AttributeQuestion = {
  kind: 'attribute'
  page: number
  /** Headers for logs without a time. */
  heads: Head[]
  /** Market makers that are known since the last question. */
  pools: string[]
}

/** `undated`: the blocks whose headers are needed, because their logs have no time. */
export type ParsedPage = Omit<LogPage, 'logs'> & { logs: number; bytes: number; undated: number[] }

export type ThreadAnswer =
  | { parsed: ParsedPage }
  | { refused: ArrayBuffer }
  | { facts: ArrayBuffer }
  /** Why the logs cannot be trusted: they contradict each other, or the headers. */
  | { contradiction: string; isOfHeaders: boolean }

/** Pages that are parsed and not attributed yet. */
const pages = new Map<number, LogPage>()
const pools = new Set<string>()
const decoder = new LogDecoder()

parentPort?.on('message', (question: ThreadQuestion) => {
  const answer = question.kind === 'parse' ? parse(question) : attribute(question)
  const bytes = 'refused' in answer ? answer.refused : 'facts' in answer ? answer.facts : undefined
  parentPort?.postMessage(answer, bytes === undefined ? [] : [bytes])
})

/** Whatever is wrong with the answer, the thread that has the connection says it, as if it had parsed it. */
function parse({ page: number, body, range, ids }: ParseQuestion): ThreadAnswer {
  try {
    // Everything that is used of an answer is ASCII, which is read in half the time.
    const text = Buffer.from(body).toString('latin1')
    const context = { upstream: 'polygon', redact: (said: string) => said }
    const page = parsePage(JSON.parse(text), { range, ids }, context)
    page.logs = page.logs.filter(({ removed }) => !removed)
    pages.set(number, page)
    const { logs, ...rest } = page
    const undated = undatedBlocks(logs, toKnownHeads([page.first, page.last]))
    return { parsed: { ...rest, logs: logs.length, bytes: sizeOfLogs(logs), undated } }
  } catch {
    return { refused: body }
  }
}

function attribute({ page: number, heads, pools: added }: AttributeQuestion): ThreadAnswer {
  for (const pool of added) pools.add(pool)
  const { first, last, logs } = takePage(number)
  const known = toKnownHeads([first, last, ...heads])
  const contradiction = dateLogs(logs, known)
  if (contradiction !== undefined) return { contradiction, isOfHeaders: true }
  try {
    return { facts: attributeLogs(logs, known) }
  } catch (error) {
    if (!(error instanceof UntrustedLogsError)) throw error
    return { contradiction: error.message, isOfHeaders: false }
  }
}

function attributeLogs(logs: readonly ChainLog[], heads: KnownHeads): ArrayBuffer {
  const blocks = [...heads.values()].map(toBatchBlock)
  const facts = attributeBatch({ logs, blocks, pools, decoder })
  for (const pool of poolsIn(facts.rawLogs)) pools.add(pool)
  return packFacts(facts)
}

function takePage(number: number): LogPage {
  const page = pages.get(number)
  if (page === undefined) throw new Error(`page ${number} is not there`)
  pages.delete(number)
  return page
}
