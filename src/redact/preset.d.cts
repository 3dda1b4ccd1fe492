export function loadPreset(): typeof import('@secretlint/secretlint-rule-preset-recommend');
