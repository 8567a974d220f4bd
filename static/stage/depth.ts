/** The depths of the kinds of objects: one with a greater depth is drawn over others. */
export const DEPTH = { wire: 0, body: 1, cell: 2, gate: 3, message: 4, ghost: 5, tag: 6 } as const;
