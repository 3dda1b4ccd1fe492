/** A name for a session that a person can remember: two adjectives and the name of someone who did something with thread, knots or proofs. */

const ADJECTIVES = (
  'agile amber ample apt brave breezy bright brisk calm candid clear clever cosy crisp curious deft eager early ' +
  'earnest easy even fair fluent fond frank fresh gentle glad golden good grand happy hardy hearty honest humble ' +
  'ideal jolly keen kind lively lucid lucky mellow merry mild modest neat nimble noble open patient placid plain ' +
  'polite proud quick quiet rapid ready robust rosy serene sharp shiny simple smooth snug sober solid sound spry ' +
  'steady still sturdy subtle sunny sure swift tender tidy tranquil true trusty vivid warm wise witty zesty'
).split(' ');

const SURNAMES = (
  'abel ada alexander artin ashley babbage bernoulli bolzano boole borromeo brunn burnside cantor cauchy cayley ' +
  'conway curie dehn descartes dirac dowker erdos euler faraday fermat fibonacci fourier fox galois gauss germain ' +
  'godel hamming hilbert hopper hypatia jacquard jones kauffman kelvin klein kovalevsky lagrange laplace leibniz ' +
  'listing lovelace markov maxwell mirzakhani moebius morse noether pascal penrose perko poincare ramanujan ' +
  'reidemeister riemann seifert shannon tait thurston turing vandermonde weyl whitehead wirtinger'
).split(' ');

/** `random` gives numbers from 0 up to but not including 1. */
export function sessionName(random: () => number): string {
  const pick = (words: readonly string[]): string => words[Math.floor(random() * words.length)] ?? '';
  const first = pick(ADJECTIVES);
  const others = ADJECTIVES.filter((word) => word !== first);
  return `${first}-${pick(others)}-${pick(SURNAMES)}`;
}
