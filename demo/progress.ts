const BAR_CELLS = 30

/** On a terminal one line that is written over and vanishes at the end; nothing at all in a file or a pipe. */
export function showProgress(what: string, share: number): void {
  if (!process.stderr.isTTY) return
  const filled = Math.round(share * BAR_CELLS)
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled)
  const line = `${what}  ${bar}  ${Math.floor(share * 100)} %`
  process.stderr.write(share >= 1 ? '\r\x1b[K' : `\r\x1b[K${line}`)
}
