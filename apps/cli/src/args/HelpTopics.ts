/** Topics of `quarry help <topic>`. */

export const helpTopics = ["environment", "exit-status", "options", "examples"] as const

export type HelpTopic = (typeof helpTopics)[number]

export const topicSummaries: { readonly [T in HelpTopic]: string } = {
  "environment": "Environment variables",
  "exit-status": "Exit status of the program",
  "options": "Options that several commands share",
  "examples": "Examples of all commands"
}

export const isHelpTopic = (text: string): text is HelpTopic => helpTopics.some((topic) => topic === text)
