/** New ids are handed in, so that editing is pure and a test gets the same ones each time. */

/** A uuid that no entry has yet. */
export type FreshUuid = () => string;
