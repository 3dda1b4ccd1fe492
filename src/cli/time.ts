export { parseTime } from '../views/typedtime.ts';
