import type { Plan, Step } from './plan.js'

type Fails = (plan: Plan) => Promise<boolean>

/**
 * A plan with fewer steps that still fails: leaves out halves, then quarters, and so on to single steps.
 */
export async function shrinkPlan(plan: Plan, fails: Fails): Promise<Plan> {
  let steps: readonly Step[] = plan.steps
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < steps.length; ) {
      const fewer = steps.toSpliced(from, size)
      if (await fails({ ...plan, steps: fewer })) steps = fewer
      else from += size
    }
  }
  return { ...plan, steps }
}
