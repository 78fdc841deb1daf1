import { execFile, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { signatureHeaders } from '../../src/webhooks/deliver/signature.js'
import { eventTypeRow, WEBHOOK_EVENT_TYPE_NAMES } from '../../src/webhooks/event-types.js'
import { webhookRoutes } from '../../src/webhooks/manage/routes.js'
import { readWebhookExamples } from '../../src/webhooks/openapi.js'
import { findFreePort } from '../free-port.js'
import { createTestApp, type TestApp } from '../test-app.js'
import { until } from '../until.js'
import { type Envelope, problemsOfEnvelope } from './payload-shapes.js'

/** What docs/webhooks.md shows is taken from the page and run against the service. */

const ROOT = resolve(import.meta.dirname, '../..')
const PAGE = readFileSync(join(ROOT, 'docs/webhooks.md'), 'utf8')
const BLOCKS = [...PAGE.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, code = '']) => ({
  language,
  code,
}))

/** The one block of the page that has this text. */
function findBlock(language: string, text: string): string {
  const found = BLOCKS.filter((block) => block.language === language && block.code.includes(text))
  if (found.length !== 1) throw new Error(`${found.length} blocks of the page have ${text}`)
  return found[0]?.code ?? ''
}

const RECEIVERS = [
  { file: 'receiver.mjs', language: 'js', command: process.execPath, isDeduplicating: true },
  { file: 'standard.mjs', language: 'js', command: process.execPath, isDeduplicating: false },
  { file: 'receiver.py', language: 'python', command: 'python3', isDeduplicating: true },
]

/** Why a program of this machine cannot be used; `undefined`: it can. */
const whyAbsent = (command: string): string | undefined =>
  spawnSync(command, ['--version']).status === 0 ? undefined : `${command} is not on this machine`

let t: TestApp
let folder: string
let serviceUrl: string
let key: string
beforeAll(async () => {
  t = await createTestApp({
    routes: (ctx) => [webhookRoutes(ctx, ctx)],
    config: { webhookNetworks: ['127.0.0.0/8'] },
  })
  // Receivers refuse timestamps that are not of now.
  t.clock.set(Date.now())
  await t.app.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => '' })
  serviceUrl = `http://127.0.0.1:${(t.app.server.address() as AddressInfo).port}`
  key = (await t.createCaller('growth')).key
  folder = mkdtempSync(join(tmpdir(), 'auspex-docs-'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  for (const { file, language } of RECEIVERS) {
    writeFileSync(join(folder, file), findBlock(language, ` ${file}\n`))
  }
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await t.close()
})

/** Runs lines of the page in a shell, with the addresses of the test. */
async function runShell(lines: string, port: number, env: Record<string, string> = {}) {
  const script = lines
    .replaceAll('http://127.0.0.1:8080', serviceUrl)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
  const path = `${dirname(process.execPath)}:${process.env.PATH}`
  const { stdout } = await promisify(execFile)('bash', ['-c', `set -e\n${script}`], {
    cwd: folder,
    env: { PATH: path, KEY: key, ...env },
  })
  return stdout
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

async function startReceiver(command: string, file: string, port: number, secret: string) {
  const child = spawn(command, [file], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', WEBHOOK_SECRET: secret, PORT: `${port}` },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const deadlineMs = Date.now() + 20_000
  while (!(await isOpen(port))) {
    if (Date.now() > deadlineMs) throw new Error(`${file} does not listen: ${output}`)
    await new Promise((next) => setTimeout(next, 20))
  }
  return { output: () => output }
}

type Created = { id: string; secret: string }

const createWebhook = async (port: number): Promise<Created> =>
  JSON.parse(await runShell(findBlock('sh', 'tee webhook.json'), port))

describe('the event types in docs/webhooks.md', () => {
  const examples = readWebhookExamples()

  test.each(WEBHOOK_EVENT_TYPE_NAMES)('%s has an example, in the shape that it says', (type) => {
    const [, shown] = new RegExp(`^### ${type}\n.*?^\`\`\`json\n(.*?)^\`\`\``, 'ms').exec(PAGE) ?? []
    const example = examples[type] as Envelope
    expect(JSON.parse(shown ?? 'null')).toEqual(example.data)
    expect(problemsOfEnvelope(example)).toEqual([])
    const validate = new Ajv({ strict: false, formats: { 'date-time': true } }).compile(
      eventTypeRow(type).payload,
    )
    validate(example.data)
    expect(validate.errors).toBeNull()
  })

  test('are in the table with their filters, the required ones in bold', () => {
    for (const type of WEBHOOK_EVENT_TYPE_NAMES) {
      const { filters, required = [] } = eventTypeRow(type)
      const [, , , cell = ''] =
        PAGE.split('\n')
          .find((line) => line.startsWith('| `') && line.split('|')[1]?.includes(`\`${type}\``))
          ?.split('|') ?? []
      const shown = [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name)
      const bold = [...cell.matchAll(/\*\*`(\w+)`\*\*/g)].map(([, name]) => name)
      expect({ type, filters: shown, required: bold }).toEqual({
        type,
        filters: [...filters],
        required: [...required],
      })
    }
  })
})

describe.skipIf(whyAbsent('curl') ?? whyAbsent('bash'))('docs/webhooks.md', () => {
  test.each(RECEIVERS)('$file takes a test delivery and refuses a forged one', async (receiver) => {
    const { file, command, isDeduplicating } = receiver
    const absent = whyAbsent(command)
    if (absent !== undefined) return void console.warn(`${file} was not run: ${absent}`)
    const port = await findFreePort()
    const { id, secret } = await createWebhook(port)
    const { output } = await startReceiver(command, file, port, secret)

    const answer = await runShell(findBlock('sh', '/test"'), port, { WEBHOOK_ID: id })
    expect(JSON.parse(answer), output()).toMatchObject({ delivered: true, status_code: 204 })
    await until(() => /^trade test_[0-9a-f-]{36} /m.test(output()))

    const body = '{"id":"evt_1","type":"trade","created_at":"","data":{"number":7}}'
    const event = { webhookId: id, eventId: 'evt_1', eventType: 'trade', secret, body }
    const post = async (headers: Record<string, string>, sent = body) => {
      const url = `http://127.0.0.1:${port}/hook`
      return (await fetch(url, { method: 'POST', headers, body: sent })).status
    }
    const good = signatureHeaders({ ...event, nowMs: Date.now() })
    expect(await post(good, body.replace('7', '8'))).toBe(401)
    expect(await post(signatureHeaders({ ...event, nowMs: Date.now(), secret: 'x'.repeat(20) }))).toBe(401)
    expect(await post(signatureHeaders({ ...event, nowMs: Date.now() - 600_000 }))).toBe(401)
    expect(await post({ ...good, 'X-Webhook-Signature': 'é', 'webhook-signature': 'é' })).toBe(401)
    expect(await post({})).toBe(401)
    expect(output()).not.toContain('evt_1')
    expect([await post(good), await post(good)]).toEqual([204, 204])
    const next = { ...event, eventId: 'evt_2', body: body.replace('evt_1', 'evt_2') }
    expect(await post(signatureHeaders({ ...next, nowMs: Date.now() }), next.body)).toBe(204)
    await until(() => /trade evt_1.*trade evt_2/s.test(output()))
    if (isDeduplicating) expect(output().match(/trade evt_1/g)).toHaveLength(1)
  })

  test('the other requests work as they stand there', async () => {
    const port = await findFreePort()
    const { id, secret } = await createWebhook(port)
    const env = { WEBHOOK_ID: id, EVENT_ID: 'evt_00000000-0000-8000-8000-000000000000' }
    const ask = async (text: string) => JSON.parse(await runShell(findBlock('sh', text), port, env))
    await ask('/test"')
    expect(await ask('/deliveries?limit=5"')).toMatchObject({
      count: 1,
      deliveries: [{ event_type: 'trade', success: false, error: 'connection refused' }],
    })
    const rotated = await ask('/rotate-secret"')
    expect(rotated.secret).toMatch(/^whsec_[0-9a-f]{32}$/)
    expect(rotated.secret).not.toBe(secret)
    const again = await runShell(findBlock('sh', '/recover"'), port, env)
    expect(again).toMatch(/^\{"error":.*\}\{"recovered":0,/)
  })
})
