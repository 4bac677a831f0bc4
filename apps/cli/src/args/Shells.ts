/** Shells with completions. */
export const shells = ["bash", "zsh", "fish", "powershell"] as const

export type Shell = (typeof shells)[number]

export const isShell = (text: string): text is Shell => shells.some((shell) => shell === text)
