/**
 * Cursors of the command line: that of the service, or a position inside a page, `skip:<records>:<cursor>`, which is never
 * sent. The cursor before the first page is empty.
 */

/** A position in a list: a number of records after a cursor of the service, or after the beginning. */
export interface ListCursor {
  readonly page: string | undefined
  readonly skip: number
}

export const formatListCursor = ({ page = "", skip }: ListCursor): string =>
  skip === 0 ? page : `skip:${skip}:${page}`

export const parseListCursor = (text: string | undefined): ListCursor => {
  const [, skip, page = text] = /^skip:(\d{1,9}):(.*)$/s.exec(text ?? "") ?? []
  return { page: page === "" ? undefined : page, skip: Number(skip ?? 0) }
}
