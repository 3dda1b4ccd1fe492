/** Loaded when a text needs them: their patterns over all of Unicode take 35 ms to make, more than most commands do. */
exports.stringWidth = (text) => require('string-width').default(text);
exports.wrapAnsi = (text, columns, options) => require('wrap-ansi').default(text, columns, options);
