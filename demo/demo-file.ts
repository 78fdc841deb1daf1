import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Samples } from '../sim/samples.js'
import type { SIM_CREDENTIALS, UpstreamUrls } from '../sim/simulator.js'
import { createKey, retireKey } from '../src/accounts/accounts.js'
import { useOperatorKey } from '../src/accounts/operator-queries.js'
import { createOperatorKey } from '../src/accounts/operators.js'
import { PLAN_IDS, type PlanId } from '../src/accounts/plans.js'
import { insertAccount, selectAccounts, selectKeys } from '../src/accounts/queries.js'
import { digestOperatorSecret, digestSecret, toHash } from '../src/accounts/secret.js'
import { createCode, signInUrl } from '../src/accounts/sign-in-codes.js'
import type { Service } from '../src/service.js'

type PlanKeys = Record<PlanId, string>

/** `<data>/demo.json`: what scripts need of the demo that runs, or that ran last. */
export type DemoFile = {
  url: string
  /** Where the sockets are: events at `/ws`, order books at `/ws/orderbook`. */
  ws_url: string
  /** `null` once the demo has stopped. */
  pid: number | null
  keys: PlanKeys
  /** For `/v1/admin`. */
  operator_key: string
  /** Takes orders for faults of the simulated upstreams. */
  sim_url: string
  upstreams: UpstreamUrls
  /** What the simulated upstreams take that ask who is there. */
  live_v2_credentials: typeof SIM_CREDENTIALS.liveV2
  chainlink_credentials: typeof SIM_CREDENTIALS.chainlink
  x_credentials: typeof SIM_CREDENTIALS.x
  samples: Samples
}

/** `undefined` when no demo has run in this folder. */
export function readDemoFile(dataDir: string): DemoFile | undefined {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as DemoFile
  } catch {
    return undefined
  }
}

/** Only for the user who runs the demo: the file holds keys. */
export function writeDemoFile(dataDir: string, file: DemoFile): void {
  const path = join(dataDir, 'demo.json')
  const draft = `${path}.new`
  // Scripts wait for the file and read it at once: it appears whole.
  writeFileSync(draft, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, path)
}

export function removeDemoPid(dataDir: string): void {
  const file = readDemoFile(dataDir)
  if (file !== undefined) writeDemoFile(dataDir, { ...file, pid: null })
}

const LIST_MAX = 1_000

/** A key for every plan: the one of an earlier run where it still works, a new one otherwise. */
export async function prepareKeys(service: Service, known: Partial<PlanKeys> = {}): Promise<PlanKeys> {
  const keys: Partial<PlanKeys> = {}
  for (const plan of PLAN_IDS) keys[plan] = await prepareKey(service, plan, known[plan])
  return keys as PlanKeys
}

/** An operator's key: that of an earlier run where it still works. */
export async function prepareOperatorKey({ platform }: Service, known = ''): Promise<string> {
  const nowMs = platform.clock.now()
  const digest = digestOperatorSecret(known)
  const works = digest !== undefined && (await useOperatorKey(platform.sql, toHash(digest), nowMs))
  return works ? known : (await createOperatorKey(platform.sql, { name: 'demo', nowMs })).secret
}

/** A link that signs a browser in with a key of the demo, once and within minutes. */
export async function createSignInLink({ url, platform, domains }: Service, key: string): Promise<string> {
  const caller = await domains.accounts.keyRing.find(digestSecret(key) ?? '')
  if (caller === undefined) throw new Error('a key of the demo does not work')
  return signInUrl(url, await createCode(platform.sql, caller.keyId))
}

async function prepareKey(
  { platform, domains }: Service,
  plan: PlanId,
  known: string | undefined,
): Promise<string> {
  const digest = known === undefined ? undefined : digestSecret(known)
  const caller = digest === undefined ? undefined : await domains.accounts.keyRing.find(digest)
  if (known !== undefined && caller?.plan.id === plan) return known
  const nowMs = platform.clock.now()
  const name = `demo ${plan}`
  const accounts = await selectAccounts(platform.sql, { limit: LIST_MAX, nowMs })
  const account = accounts.find((row) => row.name === name && row.plan === plan)
  const accountId = account?.id ?? (await insertAccount(platform.sql, { name, plan, nowMs }))

  // The secrets of earlier keys are lost, and the keys count toward what the plan allows.
  for (const key of await selectKeys(platform.sql, accountId, LIST_MAX)) {
    if (key.revokedAt === null) await retireKey(platform.sql, key.id, nowMs)
  }
  const { secret } = await createKey(platform.sql, { plans: domains.accounts.plans, accountId, name, nowMs })
  return secret
}
