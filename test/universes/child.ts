import type { Plan } from './plan.js'
import { type Outcome, runPlan } from './run.js'
import { soak } from './soak.js'
import type { WorldOptions } from './world.js'

/** What `main.ts` sends to a process of its own for each universe. It gets an `Outcome` back. */
export type ChildTask = { options: WorldOptions } & ({ plan: Plan } | { soakMinutes: number; seed: number })

process.once('message', async ({ options, ...task }: ChildTask) => {
  const running = 'plan' in task ? runPlan(task.plan, options) : soak(task.soakMinutes, task.seed, options)
  const outcome: Outcome = await running.catch((error: Error) => ({
    problems: [`the universe itself broke: ${error.stack}`],
    fills: 0,
    pages: 0,
  }))
  process.send?.(outcome, () => process.exit())
})
