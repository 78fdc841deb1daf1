const tasks: (() => Promise<void>)[] = []

/** What is started or made here must not stay behind, however the run ends. */
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
