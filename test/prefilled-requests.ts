import { expect } from 'vitest'
import type { DemoFile } from '../demo/demo-file.js'
import { inlineReferences } from '../demo/inline-references.js'
import { LEAGUES } from '../sim/universe/games/leagues.js'

type Parameter = {
  name: string
  in: 'query' | 'path'
  required?: boolean
  example?: unknown
  schema?: { default?: unknown; examples?: unknown[] }
}
type Operation = {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { example?: object }> }
}
type Document = { paths: Record<string, Record<string, Operation>> }
type Prefilled = { operationId: string; method: string; url: string; body?: object | undefined }

const OWN = 'the webhook in the example is of another account: webhooks are private'
const NOT_EVERY_WALLET = 'few wallets do it: the one in the example may not have done so'
const POOL = 'the pool of an account is empty until wallets are added'

/** Requests of the reference that do not answer with data, and why. */
const WITHOUT_DATA: Readonly<Record<string, { status: number; reason: string }>> = {
  listPoolWallets: { status: 200, reason: POOL },
  getPoolLeaderboard: { status: 200, reason: POOL },
  listWebhooks: { status: 200, reason: 'an account has no webhook until it makes one' },
  listWalletSplits: { status: 200, reason: NOT_EVERY_WALLET },
  listWalletMerges: { status: 200, reason: NOT_EVERY_WALLET },
  listWalletConversions: { status: 200, reason: NOT_EVERY_WALLET },
  searchIdentities: { status: 200, reason: 'names are found after they were looked up' },
  listWalletRebates: { status: 200, reason: 'the platform pays on days of its own choice' },
  getWebhook: { status: 404, reason: OWN },
  updateWebhook: { status: 404, reason: OWN },
  deleteWebhook: { status: 404, reason: OWN },
  rotateWebhookSecret: { status: 404, reason: OWN },
  listWebhookDeliveries: { status: 404, reason: OWN },
  getWebhookDelivery: { status: 404, reason: OWN },
  resendWebhookDelivery: { status: 404, reason: OWN },
  recoverWebhookDeliveries: { status: 404, reason: OWN },
  testWebhook: { status: 404, reason: OWN },
}

/** Leagues of which a game may be on, but whose teams the platform does not list. */
const codesWithoutRoster = LEAGUES.filter(({ hasRoster }) => !hasRoster).map(({ code }) => code)
const WITHOUT_ROSTER = new RegExp(`/leagues/(${codesWithoutRoster.join('|')})/teams\\?`)

/** Requests that are not sent, and why. */
const UNSENT: Readonly<Record<string, string>> = {
  createWebhook: 'its receiver is on another host',
  createSession: 'the key in the example is of no demo',
  deleteAccount: 'what is deleted for good is not prefilled',
  revokeKey: 'what is deleted for good is not prefilled',
  revokeOwnKey: 'what is deleted for good is not prefilled',
}

/** Sends what the reference prefills for every operation: it answers with data, or the tables say why not. */
export async function checkPrefilledRequests(demo: DemoFile): Promise<void> {
  const requests = (await readPrefilled(demo)).filter(({ operationId }) => !(operationId in UNSENT))
  const isOfLane = ({ url }: Prefilled) => [SOCIAL, TAGS].some((pattern) => pattern.test(url))
  const reads = requests.filter(({ method }) => method === 'GET')
  const others = reads.filter((request) => !isOfLane(request))
  // Most reads wait for the database or for an upstream, and do not depend on each other.
  const lanes = [
    reads.filter(({ url }) => SOCIAL.test(url)),
    reads.filter(({ url }) => TAGS.test(url)).sort((a, b) => b.url.localeCompare(a.url)),
    ...Array.from({ length: OTHER_LANES }, (_, lane) =>
      others.filter((_request, index) => index % OTHER_LANES === lane),
    ),
  ]
  const sendAll = async (lane: Prefilled[]) => {
    const wrong: string[] = []
    for (const request of lane) wrong.push(...(await check(demo, request)))
    return wrong
  }
  const ofReads = await Promise.all(lanes.map(sendAll))
  const changes = requests.filter(({ method }) => method !== 'GET')
  expect([...ofReads.flat(), ...(await sendAll(changes))]).toEqual([])
}

/** Posts are searched once a second: these requests would only refuse each other. */
const SOCIAL = /^\/v2\/social\/|\/context\?/
/** Those of v2 stay in a cache for a minute, empty ones too: first come those of v3, which are asked until there are some. */
const TAGS = /^\/v3\/tags\?|^\/v2\/onchain\/tags\?/
const OTHER_LANES = 4

/** What is wrong with the answer to a request, if anything is. */
async function check(demo: DemoFile, request: Prefilled): Promise<string[]> {
  const { operationId, method } = request
  const deadlineMs = Date.now() + MAKING_MS_MAX
  let sent = request
  let answer = await judge(operationId, await send(demo, sent))
  // What jobs make is not there in the first seconds of a demo, and some limits are of a second. A kind of thing that
  // the demo did not have yet has another example in a later document.
  while (!answer.isRight && method === 'GET' && Date.now() < deadlineMs) {
    await new Promise((resolve) => setTimeout(resolve, 500))
    if (answer.status !== 429) {
      const requests = await readPrefilled(demo)
      sent = requests.find((each) => each.operationId === operationId) ?? sent
    }
    answer = await judge(operationId, await send(demo, sent))
  }
  return answer.isRight ? [] : [`${method} ${sent.url} ${answer.status} ${answer.text}`]
}

/** Longer than the service waits before it looks for missing samples again. */
const MAKING_MS_MAX = 60_000

function send({ url, keys, operator_key }: DemoFile, request: Prefilled): Promise<Response> {
  const { method, url: path, body } = request
  return fetch(url + path, {
    method,
    headers: {
      'x-api-key': path.startsWith('/v1/admin/') ? operator_key : keys.enterprise,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

async function judge(operationId: string, reply: Response) {
  const text = await reply.text()
  const { status } = WITHOUT_DATA[operationId] ?? {}
  const mayBeEmpty = WITHOUT_ROSTER.test(reply.url)
  const isRight = status === undefined ? reply.ok && (mayBeEmpty || hasData(text)) : reply.status === status
  return { isRight, status: reply.status, text: text.slice(0, 200) }
}

const readPrefilled = async (demo: DemoFile): Promise<Prefilled[]> =>
  prefillRequests((await (await fetch(`${demo.url}/openapi.json`)).json()) as Document)

/** Deletions last; a plan that is raised has room for a key. */
export function prefillRequests(document: Document): Prefilled[] {
  const { paths } = inlineReferences(document)
  const requests = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => prefill(path, method, operation)),
  )
  const order = ['GET', 'PUT', 'POST', 'DELETE']
  return requests.sort((a, b) => order.indexOf(a.method) - order.indexOf(b.method))
}

/** As the reference does: what has an example or a default is filled in. */
function prefill(path: string, method: string, operation: Operation): Prefilled {
  const { operationId, parameters = [], requestBody } = operation
  const query = new URLSearchParams()
  let url = path
  for (const { name, in: place, example, schema, required = false } of parameters) {
    const value = example ?? schema?.examples?.[0] ?? schema?.default
    const isMissing = value === undefined && required && !(operationId in UNSENT)
    if (isMissing) expect.fail(`${operationId} has no example of ${name}`)
    if (value === undefined) continue
    if (place === 'path') url = url.replace(`{${name}}`, encodeURIComponent(`${value}`))
    else query.set(name, `${value}`)
  }
  const body = requestBody?.content['application/json']?.example
  if (requestBody !== undefined && body === undefined) {
    expect.fail(`${operationId} has no example of its body`)
  }
  if (query.size > 0) url += `?${query}`
  return { operationId, method: method.toUpperCase(), url, body }
}

/** Of an answer with lists, at least one has rows. A 204 has no body. */
function hasData(text: string): boolean {
  if (text === '') return true
  const lists = Object.values(JSON.parse(text)).filter((value) => Array.isArray(value))
  return lists.length === 0 || lists.some(({ length }) => length > 0)
}
