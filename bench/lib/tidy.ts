const tasks: (() => Promise<void>)[] = []

/** Registers a task that ends a process or removes a file of the run, however the run ends. */
export function tidyLater(task: () => Promise<void>): void {
  tasks.push(task)
}

/** The newest first. */
export async function tidy(): Promise<void> {
  for (;;) {
    const task = tasks.pop()
    if (task === undefined) return
    await task()
  }
}
