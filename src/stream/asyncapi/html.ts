/** Characters of any text, safe inside of HTML. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (letter) => ENTITIES[letter] ?? letter)

const ENTITIES: { readonly [letter: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** Text of the document, with code in backticks. */
export const renderText = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')

export const renderCode = (text: string): string => `<code>${escapeHtml(text)}</code>`

/** Cells are HTML. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (tag: string, cells: readonly string[]) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
  const body = rows.map((cells) => line('td', cells)).join('\n')
  return `<table>\n${line('th', head)}\n${body}\n</table>`
}

const LINE_LENGTH_MAX = 110

/** JSON in one line, or in many where it is long. */
export function renderJson(value: unknown): string {
  const line = JSON.stringify(value)
  const text = line.length <= LINE_LENGTH_MAX ? line : JSON.stringify(value, null, 2)
  return `<pre>${renderCode(text)}</pre>`
}
