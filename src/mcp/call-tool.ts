import assert from 'node:assert/strict'
import type { Fields } from '../core/errors.js'
import { answerBytesMax } from './arguments.js'
import type { Operations } from './operations.js'
import {
  type Arguments,
  type OperationValues,
  type Tool,
  type ToolAnswer,
  type ToolCall,
  ToolError,
  type Watch,
} from './tool.js'

/** An answer of the API to a request of the caller. `retryAfter`: the header of that name. */
export type ApiReply = { status: number; retryAfter: string | undefined; body: Fields }

/** What tools need of the service, as the caller has it. */
export type CallerApi = {
  get: (url: string) => Promise<ApiReply>
  watch: Watch
  /** Writes a fault of ours into the log. */
  report: (error: unknown) => void
}

/** Runs a tool and writes its answer as JSON of at most the bytes that the caller wants. Throws `ToolError`. */
export async function callTool(
  tool: Tool,
  { max_bytes, ...args }: Arguments,
  operations: Operations,
  api: CallerApi,
): Promise<string> {
  const bytesMax = answerBytesMax(max_bytes === undefined ? {} : { max_bytes })
  const call: ToolCall = {
    args: tool.limit === undefined ? args : { limit: tool.limit, ...args },
    watch: api.watch,
    ask: (operationId, values = {}) => {
      assert(tool.operations.includes(operationId), `${tool.name} does not name ${operationId}`)
      return askApi(api, toUrl(operations, operationId, values), operationId)
    },
  }
  let answer = await tool.run(call)
  for (;;) {
    const shown = countFitting(tool, answer, bytesMax)
    const text = writeAnswer(tool, answer, shown)
    if (text !== undefined) return text
    // A list of the API has a cursor for the end of a page alone, so the request is for a page that fits.
    answer = await tool.run({ ...call, args: { ...call.args, limit: shown } })
  }
}

/** How many rows fit; one row is shown in any case, because rows are short. */
function countFitting(tool: Tool, answer: ToolAnswer, bytesMax: number): number {
  let shown = answer.rows.length
  while (shown > 1 && sizeOf(tool, answer, shown) > bytesMax) {
    const excess = sizeOf(tool, answer, shown) / bytesMax
    shown = Math.max(1, Math.min(shown - 1, Math.floor(shown / excess)))
  }
  return shown
}

/** The cursor that is not known yet is as long as the longest. */
const CURSOR_BYTES = 400

const sizeOf = (tool: Tool, answer: ToolAnswer, shown: number): number => {
  const text = writeAnswer(tool, { ...answer, next: (count) => answer.next(count) ?? null }, shown) ?? ''
  const isOpen = answer.next(shown) === undefined
  return Buffer.byteLength(text) + (isOpen ? CURSOR_BYTES : 0)
}

/** `undefined`: the cursor after these rows is not known. */
function writeAnswer(tool: Tool, answer: ToolAnswer, shown: number): string | undefined {
  const { head, name, rows, next, narrowBy } = answer
  const cursor = next(shown)
  if (cursor === undefined) return undefined
  const isLonger = cursor !== null && shown < rows.length
  return JSON.stringify({
    ...head,
    [name]: rows.slice(0, shown),
    ...(cursor !== null && { next_cursor: cursor, hint: describeRest(narrowBy, isLonger) }),
    units: tool.units,
  })
}

const describeRest = (narrowBy: readonly string[], isCut: boolean): string => {
  const more = 'for more, call again with the same arguments and `cursor`'
  const narrower = narrowBy.length === 0 ? '' : `; to narrow it: ${narrowBy.join(', ')}`
  return `${isCut ? 'not everything fits: ' : ''}${more}${narrower}`
}

/** The path and query of a request. Throws where a value cannot stand in a path. */
function toUrl(operations: Operations, operationId: string, values: OperationValues): string {
  const operation = operations.get(operationId)
  if (operation === undefined) throw new Error(`the API has no operation ${operationId}`)
  const left = new URLSearchParams()
  let path = operation.path
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue
    if (path.includes(`{${name}}`)) path = path.replace(`{${name}}`, toSegment(name, String(value)))
    else left.append(name, String(value))
  }
  return `${path}?${left}`
}

function toSegment(name: string, value: string): string {
  // A path with these leads elsewhere.
  if (value === '' || value === '.' || value === '..') {
    throw new ToolError(`Invalid ${name}. \`search\` finds slugs and ids.`)
  }
  // Of half a character nothing can be found, and it has no bytes.
  return encodeURIComponent(Buffer.from(value).toString())
}

async function askApi(api: CallerApi, url: string, operationId: string): Promise<Fields> {
  const reply = await api.get(url)
  if (reply.status === 200) return reply.body
  throw new ToolError(explainRefusal(reply, operationId), reply.status)
}

export const endSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** Why the API refused a request, and what a model can do about it. */
function explainRefusal({ status, retryAfter, body }: ApiReply, operationId: string): string {
  const { error, message, hint, allowed, upgrade_url, detail } = body
  const said = [message ?? error, detail, hint].filter((each) => typeof each === 'string').join(' ')
  const choices =
    Array.isArray(allowed) && !said.includes('Allowed:') ? ` Allowed: ${allowed.join(', ')}` : ''
  const wait = retryAfter === undefined ? 'a few seconds' : `${retryAfter} seconds`
  const advice: { readonly [status: number]: string } = {
    400: 'Correct this argument and call again.',
    401: 'The key is missing or malformed; the user has to set it up again.',
    402: `The plan of this key does not include it, so do not call it again.${upgrade_url === undefined ? '' : ` Plans: ${upgrade_url}`}`,
    403: 'This key may not do that, so do not call it again.',
    404: 'Nothing has this name or id; `search` finds the right one.',
    409: 'The list was made again meanwhile: call again without `cursor`.',
    429: `A limit of the account is used up: call again after ${wait}, and not before.`,
    502: `A source outside of the service does not answer: call again after ${wait}.`,
    503: `The service cannot answer now: call again after ${wait}.`,
  }
  return `${endSentence(said + choices)} ${advice[status] ?? 'Try something else.'} (${operationId}, HTTP ${status})`
}
