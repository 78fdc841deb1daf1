import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { readMigrations } from '../../src/store/migrate.js'
import { makeOpenFolder } from '../open-folder.js'
import type { ChildTask } from './child.js'
import { createDatabaseTemplate, removeDatabaseFolder } from './faults/database-server.js'
import { buildMistaken, MISTAKES } from './mistakes.js'
import { drawPlan, type Plan, type Step, showKinds } from './plan.js'
import type { Outcome } from './run.js'
import { shrinkPlan } from './shrink.js'

/** Of one universe; a longer one hangs. */
const UNIVERSE_MS_MAX = 5 * 60_000
/** To start, and to compare at the end. */
const SOAK_END_MS = 15 * 60_000
/** Processes race: what failed once is tried this often before it counts as whole. */
const ATTEMPTS = 3
/** An earlier version of the service lacked this many of the migrations. */
const NEW_MIGRATIONS = 6

type Flags = {
  seed?: number
  seeds?: number
  minutes?: number
  from: number
  jobs: number
  seconds: number
  plan?: string
  kept: boolean
  soak?: number
  keepGoing: boolean
  mistakes?: string | true
}

const number = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`It must be a whole number, not ${text}.`)
  return Number(text)
}

const program = new Command('universes')
  .description('lives through universes in which everything breaks, and compares the service with the truth')
  .option('--seed <number>', 'this universe alone', number)
  .option('--seeds <count>', 'this many', number)
  .option('--minutes <count>', 'as many as begin within this time', number)
  .option('--from <seed>', 'the first of several', number, 1)
  .option('--jobs <count>', 'universes at the same time', number, 2)
  .option('--seconds <count>', 'how long each is disturbed', number, 8)
  .option('--plan <file>', 'one universe as a file describes it, which a failure has left')
  .option('--kept', 'those that once failed (test/universes/kept)', false)
  .option('--soak <minutes>', 'one service at the rate of the venue, with faults in the background', number)
  .option('--keep-going', 'name all that fail, and shrink none', false)
  .option(
    '--mistakes [text]',
    'puts known mistakes, or those with this text in their name, into the service, one at a time, and says which seed finds each',
  )
  .action((flags: Flags) => main(flags))

async function main(flags: Flags): Promise<void> {
  const folder = makeOpenFolder('universes')
  const [template, oldTemplate] = [join(folder, 'template'), join(folder, 'old-template')]
  mkdirSync(template)
  mkdirSync(oldTemplate)
  process.once('exit', () => {
    for (const name of readdirSync(folder)) removeDatabaseFolder(join(folder, name))
    rmSync(folder, { recursive: true })
  })
  await createDatabaseTemplate(template)
  await createDatabaseTemplate(oldTemplate, readMigrations().slice(0, -NEW_MIGRATIONS))
  let runs = 0
  const runTask = async (task: Task, msMax: number, main?: string) => {
    const own = join(folder, `${++runs}`)
    mkdirSync(own)
    try {
      const options = { template, oldTemplate, folder: own, ...(main && { main }) }
      return await runInChild({ ...task, options }, msMax)
    } finally {
      removeDatabaseFolder(own)
    }
  }
  const run: Run = (plan, main) => runTask({ plan }, UNIVERSE_MS_MAX, main)
  if (flags.soak !== undefined) {
    const { seed = 1, soak: soakMinutes } = flags
    const outcome = await runTask({ soakMinutes, seed }, soakMinutes * 60_000 + SOAK_END_MS)
    const { problems, fills, pages } = outcome
    console.log(`${soakMinutes} minutes, ${fills} fills, ${pages} requests: ${verdictOf(outcome)}`)
    process.exitCode = problems.length === 0 ? 0 : 1
    return
  }
  if (flags.mistakes !== undefined) {
    process.exitCode = (await findMistakes(flags, folder, run)) ? 0 : 1
    return
  }
  const failed = await runAll(flags, run)
  if (failed !== undefined && !flags.keepGoing) await shrinkAndReport(failed, run)
  process.exitCode = failed === undefined ? 0 : 1
}

type Task = { plan: Plan } | { soakMinutes: number; seed: number }
type Run = (plan: Plan, main?: string) => Promise<Outcome>

/** Returns the first plan that failed. */
async function runAll(flags: Flags, run: Run): Promise<Plan | undefined> {
  const startedAt = performance.now()
  const steps: Step[] = []
  let failed: Plan | undefined
  let done = 0
  const plans = listPlans(flags)
  const worker = async () => {
    for (const plan of plans) {
      const at = performance.now()
      const outcome = await run(plan)
      const seconds = ((performance.now() - at) / 1_000).toFixed(1)
      done++
      steps.push(...plan.steps)
      const { problems, fills, pages } = outcome
      console.log(
        `seed ${plan.seed}: ${plan.processes.length} processes, ${plan.steps.length} faults, ${fills} fills, ${pages} pages, ${seconds} s: ${verdictOf(outcome)}`,
      )
      if (problems.length > 0) failed ??= plan
      if (failed !== undefined && !flags.keepGoing) return
    }
  }
  await Promise.all(Array.from({ length: Math.min(flags.jobs, flags.seeds ?? flags.jobs) }, worker))
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1)
  console.log(`${done} universes in ${minutes} min. Faults: ${showKinds(steps)}`)
  return failed
}

const verdictOf = ({ problems }: Outcome): string =>
  problems.length === 0 ? 'right' : `WRONG\n  ${problems.join('\n  ')}`

function* listPlans({ seed, seeds, minutes, from, seconds, plan, kept }: Flags): Generator<Plan> {
  const stretchMs = seconds * 1_000
  if (plan !== undefined) yield JSON.parse(readFileSync(plan, 'utf8'))
  else if (kept) {
    for (const name of readdirSync(KEPT)) yield JSON.parse(readFileSync(join(KEPT, name), 'utf8'))
  } else if (seed !== undefined) yield drawPlan(seed, { stretchMs })
  else {
    const endMs = performance.now() + (minutes ?? Number.POSITIVE_INFINITY) * 60_000
    const last = from + (seeds ?? (minutes === undefined ? 1 : Number.POSITIVE_INFINITY)) - 1
    for (let next = from; next <= last && performance.now() < endMs; next++)
      yield drawPlan(next, { stretchMs })
  }
}

/** Each in processes of its own: a universe is much work, and what it leaves behind ends with it. */
async function runInChild(task: ChildTask, msMax: number): Promise<Outcome> {
  const execArgv = ['--max-semi-space-size=64']
  const child = fork(join(ROOT, 'dist/bin/universe.js'), { execArgv, detached: true })
  const endGroup = () => killGroup(child.pid)
  process.once('exit', endGroup)
  const timer = setTimeout(() => child.kill('SIGKILL'), msMax)
  const ended = once(child, 'exit').then(([code]) => ({
    problems: [`the process of the universe ended with ${code}`],
    fills: 0,
    pages: 0,
  }))
  const said = once(child, 'message').then(([outcome]) => outcome as Outcome)
  child.send(task)
  const outcome = await Promise.race([said, ended])
  await ended
  clearTimeout(timer)
  process.off('exit', endGroup)
  endGroup()
  return outcome
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // All of it has ended, as it should.
  }
}

// Without this a signal would leave the processes of the universes behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

/** Whether every mistake is found within 20 seeds. */
async function findMistakes(flags: Flags, folder: string, run: Run): Promise<boolean> {
  const text = flags.mistakes === true ? '' : (flags.mistakes ?? '')
  const left = [...MISTAKES.filter(({ name }) => name.includes(text)).entries()]
  let areAllFound = true
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, mistake] = next
      const main = buildMistaken(ROOT, mistake, join(folder, `mistake-${index}`))
      const found = await findMistake(flags, (plan) => run(plan, main))
      areAllFound &&= found !== undefined
      console.log(`${mistake.name}: ${found ?? 'NOT FOUND'}`)
    }
  }
  await Promise.all(Array.from({ length: flags.jobs }, worker))
  return areAllFound
}

/** The first seed that finds it, and what it says. */
async function findMistake({ from, seconds }: Flags, run: Run): Promise<string | undefined> {
  for (let seed = from; seed < from + SEEDS_PER_MISTAKE; seed++) {
    const { problems } = await run(drawPlan(seed, { stretchMs: seconds * 1_000 }))
    if (problems[0] !== undefined) return `seed ${seed}: ${problems[0].slice(0, 200)}`
  }
  return undefined
}

const SEEDS_PER_MISTAKE = 20
const ROOT = resolve(import.meta.dirname, '../../..')
const KEPT = join(ROOT, 'test/universes/kept')

/** Leaves out steps as long as it still fails, and prints how to repeat what is left. */
async function shrinkAndReport(plan: Plan, run: Run): Promise<void> {
  console.log(`Seed ${plan.seed} failed: leaving out what it takes not to fail.`)
  const fails = async (tried: Plan) => {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      if ((await run(tried)).problems.length > 0) return true
    }
    return false
  }
  const shrunk = await shrinkPlan(plan, fails)
  const file = `universe-${plan.seed}.json`
  writeFileSync(file, `${JSON.stringify(shrunk, null, 2)}\n`)
  for (const { atMs, kind, pick } of shrunk.steps) console.log(`  at ${atMs} ms: ${kind} (${pick})`)
  console.log(`Repeat it: npm run universes -- --plan ${file}`)
}

await program.parseAsync()
