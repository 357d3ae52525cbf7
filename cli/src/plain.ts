/** What came from outside, fit for a terminal: without escapes and other characters that steer one. */
import { stripVTControlCharacters } from 'node:util'

/** Direction marks make a line read otherwise than it is. */
const steering = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

export const plain = (text: string): string =>
  stripVTControlCharacters(text).replaceAll('\t', '    ').replace(steering, '')
