/**
 * V8's compilers, held while a turn is sent: what gets warm within milliseconds they compile on other threads, and the process ends
 * before that is used. A twelfth of its CPU.
 */
const COMPILERS = ['sparkplug', 'maglev', 'turbofan'];

/**
 * `address`: what is sent to. Lets them go again. Not for https: what it takes is loaded before it is known whether there is anything to
 * send, and that of https takes longer than is saved.
 */
export function holdCompilers(address: string): () => void {
  if (!address.startsWith('http:')) return () => {};
  // Node's own modules that are loaded meanwhile come without their byte code.
  for (const name of modulesFor(address)) process.getBuiltinModule(name);
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const name of COMPILERS) setFlagsFromString(`--no-${name}`);
  return () => {
    for (const name of COMPILERS) setFlagsFromString(`--${name}`);
  };
}

/** A name has to be looked up. */
function modulesFor(address: string): string[] {
  const isNumber = /^http:\/\/(?:[\d.]+(?:[:/]|$)|\[)/.test(address);
  return isNumber ? ['node:http'] : ['node:http', 'node:dns'];
}
