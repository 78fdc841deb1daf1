import { useSyncExternalStore } from 'react'

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

const root = document.documentElement
const darkSystem = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

/** Gives the page the colours of the reader's choice, and follows the machine where that is the choice. */
export function startTheme(): void {
  applyTheme()
  darkSystem.addEventListener('change', applyTheme)
}

function applyTheme(): void {
  const theme = readTheme()
  const isDark = theme === 'dark' || (theme === 'system' && darkSystem.matches)
  root.dataset.theme = isDark ? 'dark' : 'light'
  for (const listener of listeners) listener()
}

/** `light` or `dark`, as the page is now. */
export const useColours = (): string =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => root.dataset.theme ?? 'light',
  )

/** Charts draw on a canvas, which knows no style sheets. */
export const colourOf = (name: string): string => getComputedStyle(root).getPropertyValue(`--${name}`).trim()
