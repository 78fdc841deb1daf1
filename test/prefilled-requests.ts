import { expect } from 'vitest'
import type { DemoFile } from '../demo/demo-file.js'
import { inlineReferences } from '../demo/inline-references.js'

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
const POOL = 'the pool of an account is empty until wallets are added'

/** Requests of the reference that do not answer with data, and why. */
const WITHOUT_DATA: Readonly<Record<string, { status: number; reason: string }>> = {
  listPoolWallets: { status: 200, reason: POOL },
  getPoolLeaderboard: { status: 200, reason: POOL },
  listWebhooks: { status: 200, reason: 'an account has no webhook until it makes one' },
  listWalletRebates: { status: 200, reason: 'the platform pays on days of its own choice' },
  getWebhook: { status: 404, reason: OWN },
  updateWebhook: { status: 404, reason: OWN },
  deleteWebhook: { status: 404, reason: OWN },
  rotateWebhookSecret: { status: 404, reason: OWN },
  listWebhookDeliveries: { status: 404, reason: OWN },
  resendWebhookDelivery: { status: 404, reason: OWN },
  recoverWebhookDeliveries: { status: 404, reason: OWN },
  testWebhook: { status: 404, reason: OWN },
}

/** Requests that are not sent, and why. */
const UNSENT: Readonly<Record<string, string>> = {
  createWebhook: 'its receiver is on another host',
  deleteAccount: 'what is deleted for good is not prefilled',
  revokeKey: 'what is deleted for good is not prefilled',
}

/** Sends what the reference prefills for every operation: it answers with data, or the tables say why not. */
export async function checkPrefilledRequests({ url, keys, operator_key }: DemoFile): Promise<void> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document
  const wrong: string[] = []
  for (const request of listPrefilled(inlineReferences(document))) {
    const { operationId, method, url: path, body } = request
    if (operationId in UNSENT) continue
    const send = () =>
      fetch(url + path, {
        method,
        headers: {
          'x-api-key': path.startsWith('/v1/admin/') ? operator_key : keys.enterprise,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    const deadlineMs = Date.now() + MAKING_MS_MAX
    let answer = await judge(operationId, await send())
    // What jobs make is not there in the first seconds of a demo, and some limits are of a second.
    while (!answer.isRight && method === 'GET' && Date.now() < deadlineMs) {
      await new Promise((resolve) => setTimeout(resolve, 500))
      answer = await judge(operationId, await send())
    }
    if (!answer.isRight) wrong.push(`${method} ${path} ${answer.said}`)
  }
  expect(wrong).toEqual([])
}

const MAKING_MS_MAX = 20_000

async function judge(operationId: string, reply: Response) {
  const text = await reply.text()
  const { status } = WITHOUT_DATA[operationId] ?? {}
  const isRight = status === undefined ? reply.ok && hasData(text) : reply.status === status
  return { isRight, said: `${reply.status} ${text.slice(0, 200)}` }
}

/** Reads first, deletions last; a plan that is raised has room for a key. */
function listPrefilled({ paths }: Document): Prefilled[] {
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

/** Of an answer with lists, at least one has rows. */
function hasData(text: string): boolean {
  const lists = Object.values(JSON.parse(text)).filter((value) => Array.isArray(value))
  return lists.length === 0 || lists.some(({ length }) => length > 0)
}
