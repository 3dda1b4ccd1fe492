/** Secretlint's rules, evaluated when they are first needed: most texts need none of them, and they take 10 ms to load. */
exports.loadPreset = () => require('@secretlint/secretlint-rule-preset-recommend');
