import type { Plan } from './plan.js'
import { type Outcome, runPlan } from './run.js'
import type { WorldOptions } from './world.js'

/** What `main.ts` sends to a process of its own for each universe. It gets an `Outcome` back. */
export type ChildTask = { plan: Plan; options: WorldOptions }

process.once('message', async ({ plan, options }: ChildTask) => {
  const outcome: Outcome = await runPlan(plan, options).catch((error: Error) => ({
    problems: [`the universe itself broke: ${error.stack}`],
    fills: 0,
    pages: 0,
  }))
  process.send?.(outcome, () => process.exit())
})
