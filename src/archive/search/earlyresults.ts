/** Results written before their calls (E12): what they are about is put down when the call comes. For one transaction. */
import { type Database, get, run } from '../sqlite.ts';

export interface EarlyResults {
  wait(call: string, part: number): void;
  settle(call: string, tool: number | null, file: number | null): void;
}

export function createEarlyResults(db: Database): EarlyResults {
  // Mostly there is none, and nothing has to be looked up.
  let some = get(db, 'SELECT 1 FROM early LIMIT 1') !== undefined;
  return {
    wait(call, part) {
      some = true;
      run(db, 'INSERT OR IGNORE INTO early (call, part) VALUES (?, ?)', call, part);
    },
    settle(call, tool, file) {
      if (!some) return;
      const sql = 'UPDATE part SET tool = ?, file = ? WHERE id IN (SELECT part FROM early WHERE call = ?)';
      if (run(db, sql, tool, file, call) > 0) run(db, 'DELETE FROM early WHERE call = ?', call);
    },
  };
}
