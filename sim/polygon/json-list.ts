/** A JSON array of JSON texts. Added up, not joined: their characters are copied once, when they are sent. */
export function showList(texts: Iterable<string>): string {
  let list = ''
  for (const text of texts) list += list === '' ? text : `,${text}`
  return `[${list}]`
}
