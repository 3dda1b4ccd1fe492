/** V8's compilers, held while a turn is sent: a twelfth of its CPU. */
import { holdCompilers } from '../../archive/compilers.ts';

/**
 * `address`: what is sent to. Lets them go again. Not for https: what it takes is loaded before it is known whether there is anything to
 * send, and that of https takes longer than is saved.
 */
export function holdForSending(address: string): () => void {
  if (!address.startsWith('http:')) return () => {};
  for (const name of modulesFor(address)) process.getBuiltinModule(name);
  return holdCompilers();
}

/** A name has to be looked up. */
function modulesFor(address: string): string[] {
  const isNumber = /^http:\/\/(?:[\d.]+(?:[:/]|$)|\[)/.test(address);
  return isNumber ? ['node:http'] : ['node:http', 'node:dns'];
}
