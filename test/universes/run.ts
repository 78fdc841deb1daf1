import { setTimeout as delay } from 'node:timers/promises'
import { checkAudit, checkConnections, checkLog, checkResources, checkUsage } from './checks/processes.js'
import { checkReads } from './checks/reads.js'
import { checkStream } from './checks/streams.js'
import { checkWebhooks, listUndelivered } from './checks/webhooks.js'
import { COMPARED_PARTS, compareAnswers } from './compare/compare-answers.js'
import { readModel } from './model/read-model.js'
import type { Plan } from './plan.js'
import type { ServiceProcess } from './service-process.js'
import { runStep } from './steps.js'
import { openWorld, type World, type WorldOptions } from './world.js'

/** How a universe went. `problems`: everything that a user could complain of, in words. */
export type Outcome = { problems: string[]; fills: number; pages: number }

/** Processes that were disturbed to the end need this long to be whole again, on a busy machine too. */
const RECOVERY_MS_MAX = 90_000
const POLL_MS = 50
const LOG_LINES_SHOWN = 12

/** Lives through a plan, and compares everything that the services have said with the truth. */
export async function runPlan(plan: Plan, options: WorldOptions): Promise<Outcome> {
  const world = await openWorld(plan, options)
  try {
    const problems = await disturb(world, plan).then(
      (disturbed) => judge(world, plan, disturbed),
      (error: Error) => [`a step broke: ${error.stack}`],
    )
    if (problems.length > 0) problems.push(...world.services.map(tailOfLog))
    const fills = world.streams[0]?.messages.filter(({ type }) => type === 'trade').length ?? 0
    return { problems, fills, pages: world.reader.pages.length }
  } finally {
    await world.close()
  }
}

/** What was seen while the steps ran. `hooksFrom`: the first block whose trades the webhooks must have. */
export type Disturbed = { hooksFrom: number; problems: string[] }

/** Does what the plan says at its moments, also while another step is still at work. */
async function disturb(world: World, plan: Plan): Promise<Disturbed> {
  const problems: string[] = []
  let hooksFrom = Number.POSITIVE_INFINITY
  const creating = world.webhooks.createHooks().then(() => {
    // Fills of the blocks that were on their way may be from before the webhooks.
    hooksFrom = world.universe.chain.head.number + MARGIN_BLOCKS
  })
  const running: Promise<void>[] = [creating]
  if (plan.beginsReady) await Promise.all(world.services.map((service) => service.untilReady()))
  let startedAt = performance.now()
  const at = (ms: number) => delay(Math.max(0, startedAt + ms - performance.now()))
  const middleMs = plan.isComparedMidway ? plan.stretchMs / 2 : Number.POSITIVE_INFINITY
  let isCompared = false
  for (const step of [...plan.steps, { atMs: plan.stretchMs, kind: undefined, pick: 0 }]) {
    if (step.atMs > middleMs && !isCompared) {
      await at(middleMs)
      await Promise.all(running)
      const before = performance.now()
      problems.push(...(await compareMidway(world, plan)))
      startedAt += performance.now() - before
      isCompared = true
    }
    await at(step.atMs)
    if (step.kind === undefined) break
    running.push(runStep(world, step))
  }
  await Promise.all(running)
  return { hooksFrom, problems }
}

/** In a quiet moment, with the worst still to come. */
async function compareMidway(world: World, { seed }: Plan): Promise<string[]> {
  const late = await settle(world)
  if (late !== undefined) return [`in the middle: ${late}`]
  const model = readModel(world.universe)
  const problems: string[] = []
  for (const url of world.urlsOf('api')) {
    const asked = { url, key: world.keys.compareKey, model, sample: { count: 1, seed } }
    problems.push(...(await compareAnswers(asked, ['trades', 'positions', 'wallets'])))
  }
  world.thaw()
  return problems.map((problem) => `in the middle: ${problem}`)
}

export const MARGIN_BLOCKS = 3

/** Ends all faults, and waits until the services have the whole chain, which stands still then. Returns what they lack. */
async function settle({ simulator, universe, ...world }: World): Promise<string | undefined> {
  simulator.faults.set({ upstream: '*', mode: 'off' })
  world.proxy.cancelCuts()
  if (!world.database.isRunning) await world.database.start()
  for (const service of world.services) service.start()
  for (const service of world.services) {
    if (!(await service.untilReady())) return `${service.roles} does not become ready again`
  }
  // Blocks after the last fault: what was lost without a sign shows with the next one.
  await delay(SETTLING_MS)
  world.freeze()
  const headHash = universe.chain.hashOf(universe.chain.head)
  return await within(RECOVERY_MS_MAX, async () => {
    const index = world.streams.findIndex((stream) => stream.lastBlockHash !== headHash)
    return index === -1 ? undefined : `stream ${index} does not get the last block`
  })
}

/** Compares everything that the services have said, and say now, with the truth. */
export async function judge(world: World, plan: Plan, { hooksFrom, problems }: Disturbed): Promise<string[]> {
  const late = await settle(world)
  if (late !== undefined) return [...problems, late]
  const { universe, simulator, services, streams, reader, webhooks } = world
  const truth = { nodeUrl: simulator.upstreams.polygon_http, headBlock: universe.chain.head.number }

  // Before older blocks are read: until all of them are there, trades before the start have a gap.
  await reader.close()
  problems.push(...world.keyHolder.notices)
  const isWhole = world.fromBlock === universe.chain.firstNumber
  if (!isWhole) {
    const { code, output } = await world.command('backfill', '--from', `${universe.chain.firstNumber}`)
    if (code !== 0) problems.push(`backfill: ${output}`)
  }
  // A delivery that failed while a clock was ahead waits for that time, up to 65 minutes.
  if (plan.steps.some(({ kind }) => kind.startsWith('clock'))) {
    for (const clock of world.clocks) clock.jump(RETRY_MS_MAX)
  }
  const undelivered = await within(RECOVERY_MS_MAX, async () => {
    const ids = await listUndelivered(webhooks, { ...truth, fromBlock: hooksFrom })
    return ids.length === 0 ? undefined : `webhooks: ${ids.length} trades never came, ${ids[0]} is the first`
  })
  if (undelivered !== undefined) problems.push(undelivered)
  const hadFutureNumbers = plan.steps.some(({ kind }) => kind === 'clock an hour ahead')
  for (const stream of streams) {
    problems.push(...(await checkStream(stream, { ...truth, hadFutureNumbers })))
  }
  problems.push(...checkReads(reader, world.memory, world.fromBlock))
  // What a process had sent when it was killed is sent once more before it counts as delivered.
  let unnoted: string[] = []
  await within(RECOVERY_MS_MAX, async () => {
    unnoted = await checkWebhooks(webhooks)
    return unnoted[0]
  })
  problems.push(...unnoted)
  const model = readModel(universe)
  const sample = { count: 2, seed: plan.seed }
  const parts = isWhole ? COMPARED_PARTS : PARTS_WITHOUT_BOARDS
  for (const [index, url] of world.urlsOf('api').entries()) {
    const asked = index === 0 ? parts : PARTS_OF_EACH
    problems.push(...(await compareAnswers({ url, key: world.keys.compareKey, model, sample }, asked)))
  }
  const [url = ''] = world.urlsOf('api')
  const kills = plan.steps.filter(({ kind }) => /kill|clock|disk|database/.test(kind)).length
  problems.push(...(await checkUsage(reader, { url, key: world.keys.readerKey, kills })))
  problems.push(...services.flatMap(checkResources))
  await Promise.all(services.map((service) => service.stop()))
  problems.push(...(await checkConnections(world.database.url)))
  problems.push(...(await checkAudit(world.command)))
  problems.push(...services.flatMap(checkLog))
  return problems
}

const SETTLING_MS = 1_500
/** What processes keep in memory, and could have kept for too long; the rest is the same database. */
const PARTS_OF_EACH = ['wallets'] as const
/** Boards take older blocks in within minutes, by a job. */
const PARTS_WITHOUT_BOARDS = COMPARED_PARTS.filter((part) => !/boards|builders|combos/i.test(part))
const RETRY_MS_MAX = 65 * 60_000

/** Asks again until nothing is missing. Returns what is still missing when the time is over. */
async function within(ms: number, ask: () => Promise<string | undefined>): Promise<string | undefined> {
  for (const endMs = performance.now() + ms; ; await delay(POLL_MS)) {
    const missing = await ask()
    if (missing === undefined || performance.now() > endMs) return missing
  }
}

const tailOfLog = ({ roles, lines }: ServiceProcess): string =>
  `the last that ${roles} logged:\n    ${lines.slice(-LOG_LINES_SHOWN).join('\n    ')}`
