/** How much of a page is read: whoever writes it must not be able to fill the memory of whoever reads it. */
export interface Limits {
  /** Samples of a page. */
  samples: number
  /** Labels of a sample. */
  labels: number
  /** Characters of a label's name or of its value, as it is written. */
  labelLength: number
}

export const limits: Readonly<Limits> = { samples: 100_000, labels: 256, labelLength: 4096 }
