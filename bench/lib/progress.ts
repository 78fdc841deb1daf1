/** On a terminal one line that is written over; nothing at all in a file or a pipe. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K  ${text}\r`)
}
