export { closest } from '../views/closest.ts';
