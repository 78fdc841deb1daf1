const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (letter) => ENTITIES[letter] ?? letter)
