import { setTimeout as delay } from 'node:timers/promises'
import { checkAudit, checkLog, checkUsage } from './checks/processes.js'
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
      (hooksFrom) => judge(world, plan, hooksFrom),
      (error: Error) => [`a step broke: ${error.stack}`],
    )
    if (problems.length > 0) problems.push(...world.services.map(tailOfLog))
    const fills = world.streams[0]?.messages.filter(({ type }) => type === 'trade').length ?? 0
    return { problems, fills, pages: world.reader.pages.length }
  } finally {
    await world.close()
  }
}

/** Does what the plan says at its moments, also while another step is still at work. Returns the webhooks' first block. */
async function disturb(world: World, plan: Plan): Promise<number> {
  const startedAt = performance.now()
  let hooksFrom = Number.POSITIVE_INFINITY
  const creating = world.webhooks.createHooks().then(() => {
    // Fills of the blocks that were on their way may be from before the webhooks.
    hooksFrom = world.universe.chain.head.number + MARGIN_BLOCKS
  })
  const running: Promise<void>[] = [creating]
  for (const step of plan.steps) {
    await delay(Math.max(0, startedAt + step.atMs - performance.now()))
    running.push(runStep(world, step))
  }
  await delay(Math.max(0, startedAt + plan.stretchMs - performance.now()))
  await Promise.all(running)
  return hooksFrom
}

const MARGIN_BLOCKS = 3

/** Ends all faults, waits until the services have the whole chain, and compares. */
async function judge(world: World, plan: Plan, hooksFrom: number): Promise<string[]> {
  const { universe, simulator, services, streams, reader, webhooks } = world
  simulator.faults.set({ upstream: '*', mode: 'off' })
  world.proxy.cancelCuts()
  if (!world.database.isRunning) await world.database.start()
  for (const service of services) service.start()
  for (const service of services) {
    if (!(await service.untilReady())) return [`${service.roles} does not become ready again`]
  }
  // Blocks after the last fault: what was lost without a sign shows with the next one.
  await delay(SETTLING_MS)
  world.freeze()
  const { head } = universe.chain
  const headHash = universe.chain.hashOf(head)
  const nodeUrl = simulator.upstreams.polygon_http
  const truth = { nodeUrl, headBlock: head.number }
  const late = await within(RECOVERY_MS_MAX, async () => {
    const index = streams.findIndex((stream) => stream.lastBlockHash !== headHash)
    return index === -1 ? undefined : `stream ${index} does not get the last block`
  })
  if (late !== undefined) return [late]

  // Before older blocks are read: until all of them are there, trades before the start have a gap.
  await reader.close()
  const problems: string[] = [...world.keyHolder.notices]
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
  for (const stream of streams) problems.push(...(await checkStream(stream, truth)))
  problems.push(...checkReads(reader, world.memory, world.fromBlock))
  problems.push(...(await checkWebhooks(webhooks)))
  const model = readModel(universe)
  const sample = { count: 3, seed: plan.seed }
  const parts = isWhole ? COMPARED_PARTS : PARTS_WITHOUT_BOARDS
  for (const [index, url] of world.urlsOf('api').entries()) {
    const asked = index === 0 ? parts : PARTS_OF_EACH
    problems.push(...(await compareAnswers({ url, key: world.keys.compareKey, model, sample }, asked)))
  }
  const [url = ''] = world.urlsOf('api')
  const kills = plan.steps.filter(({ kind }) => /kill|clock|disk|database/.test(kind)).length
  problems.push(...(await checkUsage(reader, { url, key: world.keys.readerKey, kills })))
  await Promise.all(services.map((service) => service.stop()))
  problems.push(...(await checkAudit(world.command)))
  problems.push(...services.flatMap(checkLog))
  return problems
}

const SETTLING_MS = 1_500
/** What processes keep in memory, and could have kept for too long; the rest is the same database. */
const PARTS_OF_EACH = ['trades', 'wallets'] as const
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
