/**
 * What people write, as HTML: paragraphs, links to http and https, emphasis, code. Everything is escaped first, and only then
 * a few marks become elements, so that nothing else can.
 */
import { Html, html } from '@quarterdeck/pages'

const link = /\[([^[\]\n]{1,300})\]\((https?:\/\/[^\s()<>"'&]{1,1000}(?:&amp;[^\s()<>"'&]{0,1000}){0,30})\)/g

export function noticeHtml(text: string): Html {
  const paragraphs = text
    .replaceAll('\r\n', '\n')
    .split(/\n[ \t]*\n/)
    .map(paragraph => paragraph.trim())
    .filter(Boolean)
  return new Html(paragraphs.map(paragraph => `<p>${inline(html`${paragraph}`.text)}</p>`).join('\n'))
}

/** Code is taken as it is; what is between is marked up. */
const inline = (escaped: string): string =>
  escaped
    .split(/(`[^`\n]{1,1000}`)/)
    .map((part, index) => (index % 2 === 1 ? `<code>${part.slice(1, -1)}</code>` : marked(part)))
    .join('')

const marked = (part: string): string =>
  part
    .split(link)
    .map((piece, index, pieces) => {
      if (index % 3 === 0) return emphasised(piece)
      if (index % 3 === 1)
        return `<a href="${pieces[index + 1]}" rel="nofollow noopener">${emphasised(piece)}</a>`
      return ''
    })
    .join('')

const emphasised = (piece: string): string =>
  piece
    .replace(/\*\*([^*\n]{1,500})\*\*/g, '<strong>$1</strong>')
    .replace(/\*([^*\n]{1,500})\*/g, '<em>$1</em>')
    .replaceAll('\n', '<br>')
