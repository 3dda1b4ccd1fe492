/** Bytes of a chat: larger ones are not read for a preview, only when somebody asks for them. */
export const MOST_PREVIEWED = 6 << 20;
