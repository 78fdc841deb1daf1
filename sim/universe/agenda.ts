/** What is to happen at which second. Asking does not remove, so a stretch of time can be lived twice. */
export class Agenda<Todo> {
  readonly #bySec = new Map<number, Todo[]>()

  add(atMs: number, todo: Todo): void {
    const sec = Math.ceil(atMs / 1000)
    const todos = this.#bySec.get(sec)
    if (todos === undefined) this.#bySec.set(sec, [todo])
    else todos.push(todo)
  }

  /** What falls after `fromSec`, up to and including `toSec`, in order. */
  due(fromSec: number, toSec: number): Todo[] {
    const due: Todo[] = []
    for (let sec = fromSec + 1; sec <= toSec; sec++) due.push(...(this.#bySec.get(sec) ?? []))
    return due
  }

  /** Drops what no caller can ask for again. */
  forget(fromSec: number, toSec: number): void {
    for (let sec = fromSec + 1; sec <= toSec; sec++) this.#bySec.delete(sec)
  }
}
