/** `system`: as the reader's machine is set. */
export type Theme = 'system' | 'light' | 'dark'

const THEMES: readonly Theme[] = ['system', 'light', 'dark']
const KEY = 'auspex-theme'

export const readTheme = (): Theme => THEMES.find((each) => each === localStorage.getItem(KEY)) ?? 'system'

export const nextTheme = (theme: Theme): Theme =>
  THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'

export function saveTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme)
  applyTheme()
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = readTheme()
}

/** Charts draw on a canvas, which knows no style sheets. */
export const colourOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
